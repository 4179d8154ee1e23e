// The git side of a forge in a test: a bare repository, and a clone through which people push to it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ScmWorld } from '../contract/scm-suite.ts'
import { createRepo, git } from '../support/git-repo.ts'

export interface GitRemote {
  bare: string
  clone: string
  push(branch: string, file: string, content: string, from?: string): string
  readBase(file: string): string | null
  tip(branch: string): string
  /** A clone as somebody has it who does not know what is pushed later. */
  checkout(): string
}

/** A forge of the tests with its git side. */
export interface HostedWorld extends ScmWorld {
  remote: GitRemote
  env: NodeJS.ProcessEnv
  label(pull: number, labels: string[]): Promise<void>
}

export function createGitRemote(home: string, env: NodeJS.ProcessEnv): GitRemote {
  const clone = createRepo(join(home, 'people'), env)
  const bare = join(home, 'app.git')
  git(home, env, 'clone', '--quiet', '--bare', clone, bare)
  git(clone, env, 'remote', 'add', 'origin', bare)
  git(clone, env, 'fetch', '--quiet', 'origin')
  return {
    bare,
    clone,
    push(branch, file, content, from = 'main') {
      git(clone, env, 'fetch', '--quiet', 'origin')
      const there = spawnSync('git', ['rev-parse', '--verify', '--quiet', `origin/${branch}`], { cwd: clone, env })
      git(clone, env, 'checkout', '--quiet', '-B', branch, `origin/${there.status === 0 ? branch : from}`)
      mkdirSync(dirname(join(clone, file)), { recursive: true })
      writeFileSync(join(clone, file), content)
      git(clone, env, 'add', '--all')
      git(clone, env, 'commit', '--quiet', '--message', `${file} on ${branch}`)
      git(clone, env, 'push', '--quiet', 'origin', branch)
      return git(clone, env, 'rev-parse', 'HEAD')
    },
    readBase(file) {
      const shown = spawnSync('git', ['show', `main:${file}`], { cwd: bare, env, encoding: 'utf8' })
      return shown.status === 0 ? shown.stdout : null
    },
    checkout() {
      const path = join(home, 'checkout')
      git(home, env, 'clone', '--quiet', bare, path)
      return path
    },
    tip: (branch) => git(bare, env, 'rev-parse', `refs/heads/${branch}`),
  }
}
