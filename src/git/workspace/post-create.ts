// Makes a fresh workspace usable: links, env files, files named in .worktreeinclude, then the project's own commands.
// Whether the repository may ask for this at all was decided before (consent).
import { existsSync, lstatSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { makeParents, pathInside, relativePath, staysInside } from '../../lib/inside-directory.ts'
import { readBytes } from '../../lib/plain-file.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { keepOutOfGit } from '../keep-out-of-git.ts'
import { copyIncludedFiles } from './copy-included-files.ts'
import { linkPaths } from './link-paths.ts'
import type { Preparation } from './preparation.ts'
import { runPostCreate, runPreRemove } from './run-post-create.ts'

export async function prepareWorkspace(
  info: WorkspaceInfo,
  spec: WorkspaceSpec,
  context: PluginContext,
): Promise<void> {
  const preparation = preparationOf(info.path, spec, context)
  await linkPaths(preparation, spec.project.symlinks ?? [])
  await copyEnvFiles(preparation, spec.project.envFiles ?? ['.env'])
  await copyIncludedFiles(preparation)
  await runPostCreate(preparation, spec)
}

/** The project's own commands before the workspace is removed. Its work is saved by then. */
export async function tearDownWorkspace(path: string, spec: WorkspaceSpec, context: PluginContext): Promise<void> {
  await runPreRemove(preparationOf(path, spec, context), spec)
}

function preparationOf(target: string, spec: WorkspaceSpec, { env }: PluginContext): Preparation {
  return { source: spec.project.path, target, env, onProgress: spec.onProgress ?? (() => undefined) }
}

/** Env files of the main checkout, copied into the workspace and readable by their owner alone. */
async function copyEnvFiles(preparation: Preparation, entries: string[]): Promise<void> {
  const wanted = entries.map((entry) => checkEntry(preparation, entry)).filter((path) => isWanted(preparation, path))
  // Excluded before it exists, so that `git add` can never pick up a secret.
  await keepOutOfGit(preparation.target, wanted, preparation.env)
  for (const path of wanted) {
    makeParents(preparation.target, path)
    const content = readBytes(join(preparation.source, path))
    writeFileSync(join(preparation.target, path), content, { flag: 'wx', mode: 0o600 })
  }
}

function checkEntry({ source, target }: Preparation, entry: string): string {
  const path = relativePath(entry)
  if (path !== null && staysInside(source, path) && staysInside(target, path)) return path
  throw new AoError('CONFIG_INVALID', `envFiles: ${JSON.stringify(entry)} does not lie inside the project`, {
    hint: 'Name paths relative to the project, without ..',
    details: { entry },
  })
}

function isWanted({ source, target, onProgress }: Preparation, path: string): boolean {
  const from = join(source, path)
  if (!existsSync(from) || !statSync(from).isFile()) return false
  if (lstatSync(join(target, path), { throwIfNoEntry: false })) return false
  if (pathInside(source, path) !== null) return true
  onProgress(`Not copied, because ${path} is a link that leads out of the project`)
  return false
}
