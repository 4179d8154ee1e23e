// What there is to land: a repository, changes that were each made for its first commit, and the check that all of them have to pass.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Feature {
  id: string
  title: string
  /** Against the first commit, tests included. */
  patch: string
  /** A file that only this change brings: where it is, the change is. */
  marker: string
  /** What its agent tries when the check fails beside the work of others. */
  onRed?: { file: string; from: string; to: string }
}

export interface Workload {
  world: string
  seed: number
  firstCommit: string
  /** Run with sh in a checkout. */
  check: string
  /** What every run of the check takes besides, as CI elsewhere does. */
  ciSeconds: number
  /** The share of runs on a green tree that fail all the same. */
  flaky: number
  features: Feature[]
  log: string
  /** Run by an agent when its work is committed, for the first time and after each rebase; null: a commit is enough. */
  publish: { first: string; again: string } | null
}

/** Beside the files of the world, where every program of the bench finds it. */
export function readWorkload(path: string): Workload {
  return JSON.parse(readFileSync(path, 'utf8')) as Workload
}

export function writeWorkload(path: string, workload: Workload): void {
  writeFileSync(path, JSON.stringify(workload, null, 2))
}

/** Nothing of the user's own settings, and the same author everywhere. */
export const GIT_ENV: NodeJS.ProcessEnv = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'LandBench',
  GIT_AUTHOR_EMAIL: 'landbench@example.invalid',
  GIT_COMMITTER_NAME: 'LandBench',
  GIT_COMMITTER_EMAIL: 'landbench@example.invalid',
  GIT_EDITOR: 'true',
}

export function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, ...GIT_ENV }
  return execFileSync('git', args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

/** A failure is an answer. */
export function tryGit(cwd: string, ...args: string[]): string | null {
  try {
    return git(cwd, ...args)
  } catch {
    return null
  }
}

export function writeFiles(directory: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

export function commitBase(repo: string): void {
  git(repo, 'init', '--quiet', '--initial-branch=main')
  for (const [key, value] of [
    ['user.name', 'LandBench'],
    ['user.email', 'landbench@example.invalid'],
    ['gc.auto', '0'],
  ] as const)
    git(repo, 'config', key, value)
  git(repo, 'add', '--all', '--force')
  git(repo, 'commit', '--quiet', '-m', 'Base')
}

/** What `edit` does to a checkout of the first commit, as a patch in `path`. */
export function takePatch(repo: string, path: string, edit: () => void): void {
  edit()
  git(repo, 'add', '--all')
  git(repo, 'diff', '--cached', '--binary', `--output=${path}`, 'HEAD')
  git(repo, 'reset', '--quiet', '--hard')
}
