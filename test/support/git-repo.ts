// A small real repository for a test.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { COMPILED } from './temp-home.ts'

export function git(cwd: string, env: NodeJS.ProcessEnv, ...args: string[]): string {
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

/** Made once for all tests and copied by each of them: git would start five processes. By a hash of their files. */
const MADE = join(COMPILED, '..', 'repositories')
/** The same whenever it was made. */
const DATE = '2025-01-01T00:00:00Z'

/** Creates `path` as a repository on `main` with one commit of these files. */
export function createRepo(
  path: string,
  env: NodeJS.ProcessEnv,
  files: Record<string, string> = { 'README.md': '# sample\n' },
): string {
  // What is there already belongs to the commit.
  if (existsSync(path) && readdirSync(path).length > 0) return makeRepo(path, env, files)
  const made = join(MADE, createHash('sha256').update(JSON.stringify(files)).digest('hex'))
  if (!existsSync(made)) keep(made, env, files)
  cpSync(made, path, { recursive: true })
  // The copies are other files than those that its index knows.
  git(path, env, 'update-index', '-q', '--refresh')
  return path
}

function keep(made: string, env: NodeJS.ProcessEnv, files: Record<string, string>): void {
  const own = `${made}.${process.pid}`
  makeRepo(own, env, files)
  try {
    renameSync(own, made)
  } catch (error) {
    // Another test was faster.
    rmSync(own, { recursive: true })
    if (!existsSync(made)) throw error
  }
}

function makeRepo(path: string, env: NodeJS.ProcessEnv, files: Record<string, string>): string {
  mkdirSync(path, { recursive: true })
  git(path, env, 'init', '--quiet', '--initial-branch=main')
  // Examples that nothing runs, and half of all files to copy.
  for (const name of readdirSync(join(path, '.git/hooks'))) rmSync(join(path, '.git/hooks', name))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  git(path, env, 'add', '--all')
  const dated = { ...env, GIT_AUTHOR_DATE: DATE, GIT_COMMITTER_DATE: DATE }
  git(path, dated, 'commit', '--quiet', '--message', 'first')
  return path
}
