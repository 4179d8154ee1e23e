// A rescue in git: the directory that it is made in, the shape of its commit, and the refs that name it.

import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSafeName } from '../../contract/ids.ts'
import { currentProcess, formatIdentity, mayBeAlive } from '../../lib/process/process-identity.ts'
import { removeTree } from '../../lib/remove.ts'
import { gitOn, type Repository } from '../repository.ts'
import { type Checkout, gitIn } from '../workspace/checkout.ts'

const SCRATCH = 'ao-rescue-'

/** A directory for temporary indexes outside the working tree; what processes that have ended left is removed first. */
export async function withScratch<T>(
  { gitDir }: { gitDir: string },
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  for (const path of abandonedScratch(gitDir)) removeTree(path)
  const scratch = mkdtempSync(join(gitDir, `${SCRATCH}${formatIdentity(currentProcess())}_`))
  try {
    return await work(scratch)
  } finally {
    removeTree(scratch)
  }
}

/** Those without an owner are of an earlier version. */
export function abandonedScratch(gitDir: string): string[] {
  return readdirSync(gitDir)
    .filter((name) => name.startsWith(SCRATCH) && !mayBeAlive(name.slice(SCRATCH.length).split('_', 1)[0]!))
    .map((name) => join(gitDir, name))
}

// Its tree is the working tree; its parents are HEAD, the staged state and, when needed, a third commit with what git cannot
// represent. `git cherry-pick --no-commit -m 1` restores it by hand.

export interface RescueParts {
  workTree: string
  /** `refs/heads/…`, or null: HEAD was detached. */
  headRef: string | null
  /** null: there was no commit yet. */
  head: string | null
  index: string
  /**
   * Commit with raw bytes (`exact/`), conflict entries (`stage1/` …), the operation in progress (`git/`), `refs` and
   * `flags`.
   */
  state: string | null
}

/** Always the same commit for the same state, so that a repeated snapshot can detect that nothing is new. */
export const FIXED_DATE = '2000-01-01T00:00:00Z'

/** Needs no identity of the user. */
export function asAo(date?: string): Record<string, string> {
  const who = { NAME: 'ao', EMAIL: 'ao@localhost', ...(date && { DATE: date }) }
  const entries = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ])
  return Object.fromEntries(entries)
}

/** Needs no identity of the user, and none of the repository's hooks or signing applies. */
export async function commitTree(
  checkout: Checkout,
  options: { tree: string; parents: string[]; message: string; date?: string },
): Promise<string> {
  const parents = options.parents.flatMap((parent) => ['-p', parent])
  const args = ['commit-tree', options.tree, ...parents, '-F', '-']
  return (await gitIn(checkout, args, { extraEnv: asAo(options.date), input: options.message })).trim()
}

export async function writeRescueCommit(checkout: Checkout, sessionId: string, parts: RescueParts): Promise<string> {
  return commitTree(checkout, {
    tree: parts.workTree,
    parents: [parts.head, parts.index, parts.state].filter((parent) => parent !== null),
    message: `Work rescued from session ${sessionId}\n\n${describeParts(parts)}`,
  })
}

/** Without the staged state as long as it is not written. */
export function describeParts(parts: Omit<RescueParts, 'workTree' | 'index'> & { index?: string }): string {
  const fields = {
    'ao-head-ref': parts.headRef,
    'ao-head': parts.head,
    'ao-index': parts.index,
    'ao-state': parts.state,
  }
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value ?? 'none'}\n`)
    .join('')
}

export async function readRescueCommit(repository: Repository, commit: string): Promise<RescueParts> {
  const text = await gitOn(repository, ['cat-file', 'commit', commit], { read: true })
  const field = (pattern: RegExp) => {
    const value = pattern.exec(text)?.[1]
    if (value === undefined) throw new Error(`${commit} is not a rescue of ao`)
    return value === 'none' ? null : value
  }
  return {
    workTree: field(/^tree ([0-9a-f]+)$/m)!,
    headRef: field(/^ao-head-ref: (\S+)$/m),
    head: field(/^ao-head: ([0-9a-f]+|none)$/m),
    index: field(/^ao-index: ([0-9a-f]+)$/m)!,
    state: field(/^ao-state: ([0-9a-f]+|none)$/m),
  }
}

export function isSameRescue(a: RescueParts, b: RescueParts): boolean {
  return a.workTree === b.workTree && describeParts(a) === describeParts(b)
}

// Names: `refs/ao/rescue/{sessionId}/{n}`. A second ref `refs/ao/settled/…` says that one was already restored, or belongs to an
// earlier session of the same name: restoring it again would undo later work.

export interface StoredRescue {
  ref: string
  commit: string
  number: number
  settled: boolean
}

/** All of one session, oldest first. */
export async function listRescues(repository: Repository, sessionId: string): Promise<StoredRescue[]> {
  if (!isSafeName(sessionId)) throw new Error(`Not a session id: ${sessionId}`)
  const patterns = [`refs/ao/rescue/${sessionId}/`, `refs/ao/settled/${sessionId}/`]
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', ...patterns]
  const listed = await gitOn(repository, args, { read: true })
  const found = [...listed.matchAll(/^(refs\/ao\/(rescue|settled)\/[^/\s]+\/(\d+)) ([0-9a-f]+)$/gm)]
  const settled = new Set(found.filter((one) => one[2] === 'settled').map((one) => one[3]))
  return found
    .filter((one) => one[2] === 'rescue')
    .map((one) => ({ ref: one[1]!, commit: one[4]!, number: Number(one[3]), settled: settled.has(one[3]) }))
    .sort((a, b) => a.number - b.number)
}

/** The one to restore, or null. */
export async function openRescue(repository: Repository, sessionId: string): Promise<StoredRescue | null> {
  return (await listRescues(repository, sessionId)).findLast((rescue) => !rescue.settled) ?? null
}

export function rescueRef(sessionId: string, number: number): string {
  return `refs/ao/rescue/${sessionId}/${number}`
}

/** Creates the ref; fails when it exists, so that no rescue can replace another. */
export async function createRescueRef(repository: Repository, ref: string, commit: string): Promise<void> {
  await gitOn(repository, ['update-ref', ref, commit, ''])
}

export async function settleRescue(repository: Repository, sessionId: string, rescue: StoredRescue): Promise<void> {
  await gitOn(repository, ['update-ref', `refs/ao/settled/${sessionId}/${rescue.number}`, rescue.commit])
}

/** Restored: this one and all before it are settled. */
export async function settleUpTo(repository: Repository, sessionId: string, rescue: StoredRescue): Promise<void> {
  for (const one of await listRescues(repository, sessionId)) {
    if (!one.settled && one.number <= rescue.number) await settleRescue(repository, sessionId, one)
  }
}
