// Repositories inside the working tree: git records only their commit, so their content must be safe elsewhere.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { quoteForShell } from '../../core/text/command-line.ts'
import { tryGit } from '../git.ts'
import { unquotePath } from '../quoted-path.ts'
import { type Checkout, gitLines } from '../workspace/checkout.ts'
import type { Change } from './tree-changes.ts'

/** Throws when removing the working tree would lose something of a repository inside it. */
export async function refuseUnsavedRepositories(
  checkout: Checkout,
  options: { changes: Change[]; gitlinks: string[] },
): Promise<void> {
  const embedded = options.changes
    .filter((change) => change.mode === '160000' && change.oldMode !== '160000')
    .map((change) => change.path)
  if (embedded.length > 0) throw embeddedIn(checkout, embedded)
  const hidden = await findHiddenRepositories(checkout, options.gitlinks)
  if (hidden.length > 0)
    throw notSaved(checkout, hidden, 'hold a .git that git does not save, sound or not', beside(checkout, hidden))
  const unsaved: string[] = []
  for (const path of options.gitlinks) {
    if (await hasOwnWork(checkout, join(checkout.path, unquotePath(path).toString('utf8')))) unsaved.push(path)
  }
  if (unsaved.length === 0) return
  throw notSaved(checkout, unsaved, 'are submodules with changes, or commits that were not pushed', 'Push them')
}

/** What git says about a repository without a commit; null: it is about something else. */
export function emptyRepository(checkout: Checkout, stderr: string): AoError | null {
  const path = /^error: '(.*)\/' does not have a commit checked out$/m.exec(stderr)?.[1]
  return path === undefined ? null : embeddedIn(checkout, [path])
}

function embeddedIn(checkout: Checkout, paths: string[]): AoError {
  const why = paths.length === 1 ? 'is a repository of its own' : 'are repositories of their own'
  return notSaved(checkout, paths, why, beside(checkout, paths))
}

/**
 * Directories containing something called `.git` that git skips: damaged repositories, or anything of that name. Ignored
 * paths are not checked, as they are not saved either.
 */
async function findHiddenRepositories(checkout: Checkout, gitlinks: string[]): Promise<string[]> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory']
  const ignored = await gitLines(checkout, args, { read: true })
  const passedOver = new Set([
    ...ignored.map((path) => unquotePath(path).toString('latin1').replace(/\/$/, '')),
    ...gitlinks.map((path) => unquotePath(path).toString('latin1')),
  ])
  const found: string[] = []
  const walk = async (directory: Buffer, below: string): Promise<void> => {
    for (const entry of await readdir(directory, { withFileTypes: true, encoding: 'buffer' })) {
      const name = entry.name.toString('latin1')
      if (name === '.git') {
        if (below !== '') found.push(below)
        continue
      }
      const path = below === '' ? name : `${below}/${name}`
      if (!entry.isDirectory() || passedOver.has(path)) continue
      await walk(Buffer.concat([directory, Buffer.from('/'), entry.name]), path)
    }
  }
  await walk(Buffer.from(checkout.path), '')
  return found
}

async function hasOwnWork(checkout: Checkout, path: string): Promise<boolean> {
  if (!existsSync(join(path, '.git'))) return false
  const questions = [
    ['status', '--porcelain', '--ignore-submodules=none'],
    ['rev-list', '--max-count=1', 'HEAD', '--branches', '--not', '--remotes'],
    ['for-each-ref', 'refs/stash'],
  ]
  for (const question of questions) {
    const answer = await tryGit(path, question, { env: checkout.env, read: true })
    // No answer is not proof that it is safe.
    if (!answer.ok || answer.stdout.trim() !== '') return true
  }
  return false
}

/** The way out that always works: afterwards it is nobody's work in this checkout. */
function beside(checkout: Checkout, [first = '']: string[]): string {
  const path = join(checkout.path, unquotePath(first).toString('utf8'))
  return `Move it out: mv ${quoteForShell(path)} ~/`
}

function notSaved(checkout: Checkout, paths: string[], why: string, way: string): AoError {
  return new AoError(
    'WORKSPACE_NOT_SAVED',
    `The work in ${checkout.path} could not be saved: ${paths.join(', ')} ${why}`,
    {
      hint: `${way}, and try again; nothing was removed`,
      details: { path: checkout.path, repositories: paths },
    },
  )
}
