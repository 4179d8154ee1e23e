// The registered workspaces: directories with a name.
import { randomBytes } from 'node:crypto'
import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import * as z from 'zod/mini'
import { type Workspace, WorkspaceAnswer } from '../../contract/agh/answers.ts'
import { isPrintable } from '../../contract/agh/api.ts'
import { AoError } from '../../contract/errors.ts'
import { requireOwnVersion, writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { AghPaths } from '../paths.ts'

const fileSchema = z.object({ workspaces: z.array(WorkspaceAnswer) })

export function listWorkspaces(paths: AghPaths): Workspace[] {
  const text = readIfThere(paths.workspaces)
  if (text === null) return []
  const found = fileSchema.safeParse(JSON.parse(text))
  if (found.success) return found.data.workspaces
  requireOwnVersion(paths.workspaces)
  throw found.error
}

export interface NewWorkspace {
  path: string
  name?: string | undefined
  additional_directories?: string[] | undefined
}

export function addWorkspace(paths: AghPaths, wanted: NewWorkspace): Workspace {
  const real = requireDirectory(wanted.path)
  const all = listWorkspaces(paths)
  const workspace: Workspace = {
    id: `ws_${randomBytes(6).toString('hex')}`,
    name: wanted.name ?? basename(real),
    path: real,
    additional_directories: resolveDirectories({ path: real, directories: [] }, wanted.additional_directories ?? []),
  }
  if (!isPrintable(workspace.name)) {
    throw new AoError('USAGE', `A workspace cannot be named ${JSON.stringify(workspace.name)}`, {
      hint: 'Choose a name on one line with: --name <name>',
    })
  }
  const taken = all.find((one) => one.name === workspace.name)
  if (taken) {
    throw new AoError('STATE_REFUSED', `A workspace ${workspace.name} exists already: ${taken.path}`, {
      hint: 'Choose another name with: --name <name>',
    })
  }
  write(paths, [...all, workspace])
  return workspace
}

export function removeWorkspace(paths: AghPaths, reference: string): Workspace {
  const workspace = findWorkspace(paths, reference)
  write(
    paths,
    listWorkspaces(paths).filter(({ id }) => id !== workspace.id),
  )
  return workspace
}

export function findWorkspace(paths: AghPaths, reference: string): Workspace {
  const found = listWorkspaces(paths).find(({ id, name }) => id === reference || name === reference)
  if (found) return found
  throw new AoError('WORKSPACE_NOT_FOUND', `There is no workspace ${reference}`, { details: { workspace: reference } })
}

/** Exactly one of the two is set; the request was validated. */
export function resolveWorkspace(
  paths: AghPaths,
  request: { workspace?: string | undefined; workspace_path?: string | undefined },
): ResolvedWorkspace {
  if (request.workspace !== undefined) {
    const { id, path, additional_directories = [] } = findWorkspace(paths, request.workspace)
    return { id, path: requireDirectory(path), directories: additional_directories }
  }
  return { id: null, path: requireDirectory(request.workspace_path ?? ''), directories: [] }
}

export interface ResolvedWorkspace {
  id: string | null
  path: string
  directories: string[]
}

/** The additional directories: existing, without duplicates, by their real paths. */
export function resolveDirectories(
  workspace: Pick<ResolvedWorkspace, 'path' | 'directories'>,
  ...more: string[][]
): string[] {
  const all = [workspace.directories, ...more].flat().map(requireDirectory)
  return [...new Set(all)].filter((path) => path !== workspace.path)
}

function requireDirectory(path: string): string {
  if (!isAbsolute(path)) {
    throw new AoError('USAGE', `A workspace path must be absolute: ${path || '(empty)'}`, {
      hint: 'Give the whole path, from / on',
    })
  }
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new AoError('WORKSPACE_NOT_FOUND', `There is no directory ${path}`, { hint: 'Name a directory that exists' })
  }
  return realpathSync(path)
}

function write(paths: AghPaths, workspaces: Workspace[]): void {
  mkdirSync(dirname(paths.workspaces), { recursive: true, mode: 0o700 })
  writeFileAtomic(paths.workspaces, `${JSON.stringify({ workspaces }, null, 2)}\n`)
}
