// The project's repository as the workspaces see it: where its data is, how git is run on it, and its refs from git's own files, so
// that the normal spawn needs no subprocess for queries.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import type { ExecResult } from '../lib/exec.ts'
import { isThere, MAX_FOREIGN_BYTES, readIfReachable } from '../lib/plain-file.ts'
import { type GitOptions, runGit, tryGit } from './git.ts'
import { locateGit } from './git-dir.ts'

export interface Repository {
  /** Objects, refs, configuration. */
  commonDir: string
  env: NodeJS.ProcessEnv
}

type GitCallOptions = Omit<GitOptions, 'env'>

export function openRepository(path: string, env: NodeJS.ProcessEnv): Repository {
  const location = locateGit(path)
  if (location !== null) return { commonDir: location.commonDir, env }
  throw new AoError('WORKSPACE_FAILED', `${path} is not a git repository`, {
    hint: `Check the project's path, or make it one with: git init '${path}'`,
    details: { path },
  })
}

/** For whoever keeps asking about one path: what is there is found anew each time. */
export const repositoryAt = (path: string, env: NodeJS.ProcessEnv) => () => openRepository(path, env)

/** Runs git on the repository itself, whatever checkouts it has. */
export function gitOn(repository: Repository, args: readonly string[], options: GitCallOptions = {}): Promise<string> {
  return runGit(repository.commonDir, onRepository(repository, args), { ...options, env: repository.env })
}

export function tryGitOn(
  repository: Repository,
  args: readonly string[],
  options: GitCallOptions = {},
): Promise<ExecResult> {
  return tryGit(repository.commonDir, onRepository(repository, args), { ...options, env: repository.env })
}

export async function hasCommit(repository: Repository, commit: string): Promise<boolean> {
  return (await tryGitOn(repository, ['cat-file', '-e', `${commit}^{commit}`], { read: true })).ok
}

function onRepository(repository: Repository, args: readonly string[]): string[] {
  return [`--git-dir=${repository.commonDir}`, ...args]
}

/** The object a full ref name resolves to, or null when there is no such ref. */
export async function resolveRef(repository: Repository, ref: string): Promise<string | null> {
  if (existsSync(join(repository.commonDir, 'reftable'))) return askGit(repository, ref)
  return readRef(repository.commonDir, ref)
}

/** The same for many at once: packed refs are read only once. Those that exist. */
export async function resolveRefs(
  repository: Repository,
  refs: readonly string[],
  options: Pick<GitCallOptions, 'timeoutMs'> = {},
): Promise<Map<string, string>> {
  if (existsSync(join(repository.commonDir, 'reftable'))) return listRefs(repository, refs, options)
  const packed = packedRefs(repository.commonDir)
  return new Map(
    refs.flatMap((ref): Array<[string, string]> => {
      const tip = readRef(repository.commonDir, ref, () => packed.get(ref) ?? null)
      return tip === null ? [] : [[ref, tip]]
    }),
  )
}

/** Names of existing branches, for messages: local ones first, at most twenty. */
export async function branchNames(repository: Repository): Promise<string[]> {
  const format = ['for-each-ref', '--count=20', '--format=%(refname:short)']
  const listed = await gitOn(repository, [...format, 'refs/heads', 'refs/remotes'], { read: true })
  return listed.split('\n').filter((name) => name !== '')
}

async function askGit(repository: Repository, ref: string): Promise<string | null> {
  const result = await tryGitOn(repository, ['rev-parse', '--verify', '--quiet', ref], { read: true })
  return result.ok ? result.stdout.trim() : null
}

async function listRefs(
  repository: Repository,
  refs: readonly string[],
  options: Pick<GitCallOptions, 'timeoutMs'>,
): Promise<Map<string, string>> {
  const format = '--format=%(refname) %(objectname)'
  const listed = await gitOn(repository, ['for-each-ref', format, 'refs/heads', 'refs/remotes'], {
    ...options,
    read: true,
  })
  const wanted = new Set(refs)
  const pairs = listed.split('\n').map((line) => line.split(' ') as [string, string])
  return new Map(pairs.filter(([name]) => wanted.has(name)))
}

function readRef(commonDir: string, ref: string, packed = () => readPacked(commonDir, ref), depth = 0): string | null {
  const file = join(commonDir, ref)
  // Thousands of branches are asked for that are packed, or not made yet.
  const loose = isThere(file) ? readText(file)?.trim() : undefined
  // Torn by a power loss it says nothing; git refuses it, and is then run again with it mended.
  if (loose === undefined || !/^(?:ref: |[0-9a-f]{40})/.test(loose)) return packed()
  if (!loose.startsWith('ref: ')) return loose
  const target = loose.slice(5).trim()
  return depth > 4 ? null : readRef(commonDir, target, () => readPacked(commonDir, target), depth + 1)
}

function packedRefs(commonDir: string): Map<string, string> {
  const lines = (readText(join(commonDir, 'packed-refs')) ?? '').split('\n')
  return new Map(
    lines
      .filter((line) => /^[0-9a-f]{40,64} /.test(line))
      .map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
  )
}

function readPacked(commonDir: string, ref: string): string | null {
  const packed = readText(join(commonDir, 'packed-refs')) ?? ''
  const at = packed.indexOf(` ${ref}\n`)
  return at === -1 ? null : packed.slice(packed.lastIndexOf('\n', at) + 1, at)
}

function readText(path: string): string | undefined {
  try {
    return readIfReachable(path, { maxBytes: MAX_FOREIGN_BYTES }) ?? undefined
  } catch (error) {
    // A directory: `feat` was requested and `feat/x` exists.
    if (error instanceof AoError && error.code === 'FILE_UNUSABLE') return undefined
    throw error
  }
}
