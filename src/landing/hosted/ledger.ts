// What the train has done on a forge elsewhere, `landing/forge.json`: every branch it pushed, with every commit it put there,
// the runs of CI it waits for, and the merge it is about to make. Each is written before it is done, so that the next process
// continues, and removes nothing that is not provably the train's own. Only the process that runs the train writes it.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { PullRef } from '../../contract/pull.ts'
import { requireOwnVersion, writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'

/** One run of the forge's CI on a tree. */
export interface CarRun {
  tree: string
  attempt: number
  /** What CI runs on: the car's commit, or one with the same tree for a second run. */
  commit: string
  branch: string
  /** Names of checks that have to pass. */
  required: string[]
  at: string
  /** false: announced, and perhaps not pushed yet. */
  pushed: boolean
  /** null: it has not ended. */
  result: { state: 'passed' } | { state: 'failed'; check: string; log: string } | null
}

/** A merge that is announced. */
export interface LandingIntent {
  pull: number
  headSha: string
  base: string
  commit: string
  tree: string
  at: string
}

export interface Ledger {
  branches: Record<string, string[]>
  runs: CarRun[]
  landing: LandingIntent | null
  /** As they were last seen, for reports. */
  pulls: Array<PullRef & { number: number }>
  /** The train asks sessions whose pull requests conflict one after the other, except for those that it could not see. Absent: it does not. */
  line?: { unseen: number[] } | undefined
}

export interface LedgerFile {
  read(): Ledger
  /** Durable when it returns. */
  change(change: Partial<Ledger>): Ledger
}

const EMPTY: Ledger = { branches: {}, runs: [], landing: null, pulls: [] }
const MOST_RUNS = 200

export function openLedger(projectDir: string): LedgerFile {
  const directory = join(projectDir, 'landing')
  const path = join(directory, 'forge.json')
  return {
    read: () => readLedger(path),
    change(change) {
      if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o700 })
      const after = { ...readLedger(path), ...change }
      // Awaited results stay, however old they are.
      const old = after.runs.filter(({ result }) => result !== null).slice(-MOST_RUNS)
      after.runs = after.runs.filter((run) => run.result === null || old.includes(run))
      writeFileAtomic(path, `${JSON.stringify(after)}\n`)
      return after
    },
  }
}

/** A damaged file is not an empty one: it would forget which branches are the train's own. */
function readLedger(path: string): Ledger {
  const text = readIfThere(path)
  if (text === null) return EMPTY
  try {
    const found = { ...EMPTY, ...(JSON.parse(text) as Partial<Ledger>) }
    if (!Array.isArray(found.runs) || typeof found.branches !== 'object') throw new Error('it has no runs')
    return found
  } catch (error) {
    requireOwnVersion(path)
    throw new AoError('FILE_UNUSABLE', `${path} is damaged: ${(error as Error).message}`, {
      hint: `Nothing lands until it is gone. Remove branches ao/train/* on the forge yourself, then: mv '${path}' '${path}.damaged'`,
      details: { path },
    })
  }
}

export function findRun({ runs }: Ledger, tree: string, attempt: number): CarRun | undefined {
  return runs.find((run) => run.tree === tree && run.attempt === attempt)
}
