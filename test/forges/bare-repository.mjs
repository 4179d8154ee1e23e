// The git side of a forge in tests: tips, conflicts and merges in a bare repository.
import { execFileSync, spawnSync } from 'node:child_process'

const IDENTITY = {
  GIT_AUTHOR_NAME: 'forge',
  GIT_AUTHOR_EMAIL: 'forge@example.invalid',
  GIT_COMMITTER_NAME: 'forge',
  GIT_COMMITTER_EMAIL: 'forge@example.invalid',
}

/** undefined: there is no such branch. */
export function tipOf(bare, branch) {
  const result = spawnSync('git', ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], {
    cwd: bare,
    encoding: 'utf8',
  })
  return result.status === 0 ? result.stdout.trim() : undefined
}

/** The last commits of a branch, newest first. */
export function commitsOf(bare, branch) {
  return git(bare, 'rev-list', '--max-count=20', `refs/heads/${branch}`).split('\n')
}

/** When a commit was made, ISO 8601; undefined: it does not exist. */
export function timeOf(bare, sha) {
  const result = spawnSync('git', ['log', '-1', '--format=%cI', sha], { cwd: bare, encoding: 'utf8' })
  return result.status === 0 ? result.stdout.trim() : undefined
}

export function conflicts(bare, head, base) {
  return spawnSync('git', ['merge-tree', '--write-tree', base, head], { cwd: bare }).status === 1
}

/** Somebody pushed these commits to the base branch: every forge then calls their pull request merged. */
export function isInside(bare, head, base) {
  return spawnSync('git', ['merge-base', '--is-ancestor', head, base], { cwd: bare }).status === 0
}

/** undefined: they have nothing in common. */
export function mergeBase(bare, head, base) {
  const result = spawnSync('git', ['merge-base', head, base], { cwd: bare, encoding: 'utf8' })
  return result.status === 0 ? result.stdout.trim() : undefined
}

/** Each file with its part of the diff, as GitLab lists them. */
export function changedFiles(bare, from, to) {
  const names = git(bare, 'diff', '--name-only', from, to).split('\n').filter(Boolean)
  return names.map((path) => {
    const diff = execFileSync('git', ['diff', from, to, '--', path], { cwd: bare, encoding: 'utf8' })
    return { old_path: path, new_path: path, diff: diff.slice(diff.indexOf('@@')) }
  })
}

/** Moves the base branch to the merged state and returns its new tip. */
export function mergeInBare(bare, { head, base, method, title, number }) {
  const tip = tipOf(bare, base)
  const tree = git(bare, 'merge-tree', '--write-tree', tip, head).split('\n')[0]
  const parents = method === 'merge' ? ['-p', tip, '-p', head] : ['-p', tip]
  const commit = git(bare, 'commit-tree', tree, ...parents, '-m', `${title} (#${number})`)
  git(bare, 'update-ref', `refs/heads/${base}`, commit, tip)
  return commit
}

function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...process.env, ...IDENTITY } }).trim()
}
