// A small real repository for a test.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export function git(cwd: string, env: NodeJS.ProcessEnv, ...args: string[]): string {
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

/** Creates `path` as a repository on `main` with one commit of these files. */
export function createRepo(
  path: string,
  env: NodeJS.ProcessEnv,
  files: Record<string, string> = { 'README.md': '# sample\n' },
): string {
  mkdirSync(path, { recursive: true })
  git(path, env, 'init', '--quiet', '--initial-branch=main')
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  git(path, env, 'add', '--all')
  git(path, env, 'commit', '--quiet', '--message', 'first')
  return path
}
