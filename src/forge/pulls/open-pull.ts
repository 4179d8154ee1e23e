// Opens a pull request: which branches, whether there is anything in it, and the record.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { isAncestor } from '../../git/merge-memory.ts'
import { localAuthor, sessionOf } from '../../inside/local-author.ts'
import { withLock } from '../../lib/lock.ts'
import { syncFileSystems } from '../../lib/sync-file-systems.ts'
import { projectPage } from '../../slots/page-address.ts'
import type { LocalForge } from '../types.ts'
import { NAME_LISTS, type PullNames, requireNames } from './name-list.ts'
import { listBranches } from './observe-pulls.ts'
import type { LocalPull } from './pull-events.ts'
import { findOpenByBranch } from './pull-store.ts'

export interface NewPull extends Partial<PullNames> {
  title: string
  body: string
  head: string
  base?: string | undefined
  draft?: boolean
}

export interface OpenedPull {
  pull: LocalPull
  /** false: this branch already had one, which is returned. */
  created: boolean
}

export async function openPull(forge: LocalForge, wanted: NewPull): Promise<OpenedPull> {
  const base = wanted.base ?? forge.project.defaultBranch
  const names = NAME_LISTS.map((list) => [list, requireNames(wanted[list] ?? [])] as const).filter(
    ([, given]) => given.length > 0,
  )
  const headSha = await requireWork(forge, wanted.head, base)
  // It must not outlive its commits, which neither the agent nor git has synced.
  await syncFileSystems([forge.repository().commonDir])
  mkdirSync(forge.pulls.directory, { recursive: true, mode: 0o700 })
  // Check and create in one step, or two calls at once would open two for one branch.
  return withLock(join(forge.pulls.directory, '.lock'), async () => {
    const existing = findOpenByBranch(forge.pulls.list(), wanted.head)
    if (existing) return { pull: existing, created: false }
    const { env } = forge.context
    const title = wanted.title.replace(/\s+/g, ' ').trim()
    if (title === '') throw new AoError('USAGE', 'A pull request needs a title')
    const opened = {
      title,
      body: wanted.body,
      head: wanted.head,
      base,
      headSha,
      draft: wanted.draft ?? false,
      session: sessionOf(env),
      ...Object.fromEntries(names),
    }
    const url = (number: number) => projectPage(forge.context, forge.project.id, `pull/${number}`)
    return { pull: await forge.pulls.open(localAuthor(env), opened, url), created: true }
  })
}

async function requireWork(forge: LocalForge, head: string, base: string): Promise<string> {
  const branches = await listBranches(forge.repository())
  const headSha = branches.get(head)
  const baseSha = branches.get(base)
  if (headSha === undefined) throw refuse(`there is no branch ${head} in ${forge.project.path}`, { head })
  if (baseSha === undefined) throw refuse(`there is no base branch ${base} in ${forge.project.path}`, { base })
  if (head === base) throw refuse(`${head} cannot be merged into itself`, { head })
  const isEmpty = await isAncestor(forge.memory, forge.repository(), { head: headSha, base: baseSha })
  if (isEmpty) throw refuse(`No commits between ${base} and ${head}`, { head, base })
  return headSha
}

function refuse(why: string, details: Record<string, unknown>): AoError {
  return new AoError('SCM_FAILED', `The pull request cannot be opened: ${why}`, {
    hint: 'Commit your work on a branch of its own first',
    details,
  })
}
