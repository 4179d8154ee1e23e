// The shape of a rescue commit. Its tree is the working tree; its parents are HEAD, the staged state and, when needed, a
// third commit with what git cannot represent. `git cherry-pick --no-commit -m 1` restores it by hand.

import { gitOn, type Repository } from '../repository.ts'
import { type Checkout, gitIn } from '../workspace/checkout.ts'

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
