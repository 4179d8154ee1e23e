// What the watch over the base branch knows, `landing/watch.json`. Lost or damaged, it begins anew: nothing is blamed on a
// commit before the next green one.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'

export interface WatchState {
  /** The last commit of the base branch that passed. */
  green: string | null
  /** Since when it is red; null: it is not. */
  red: Red | null
}

export interface Red {
  /** The first red commit; null: not known. */
  commit: string | null
  check: string
  /** The pull request that landed as this commit; null: somebody pushed it. */
  pull: number | null
  /** What was done about it, each once. */
  sent?: boolean | undefined
  /** The pull request that reverts it; 0: that cannot be done. */
  revert?: number | undefined
  /** When reverting it last failed for a reason that may pass, ISO 8601. */
  revertFailedAt?: string | undefined
}

const UNKNOWN: WatchState = { green: null, red: null }

export function readWatch(directory: string): WatchState {
  try {
    const state = JSON.parse(readIfThere(join(directory, 'watch.json')) ?? '{}') as Partial<WatchState>
    return { ...UNKNOWN, ...state }
  } catch {
    return UNKNOWN
  }
}

export function writeWatch(directory: string, state: WatchState): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(directory, 'watch.json'), `${JSON.stringify(state)}\n`)
}
