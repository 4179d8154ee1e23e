// What became of the schedules and triggers of a project: one small file, written before and after each start.
import { join } from 'node:path'
import { AoError, errorText } from '../contract/errors.ts'
import type { ScheduleRun, ScheduleState } from '../core/task/decide-schedule.ts'
import { requireOwnVersion, writeFileAtomic } from '../lib/atomic-write.ts'
import { withFreeLock, withLock } from '../lib/lock.ts'
import { readIfThere } from '../lib/plain-file.ts'

const MOST_RUNS = 50

export type Schedules = Record<string, ScheduleState>

/** Throws when the file is damaged: pauses and starts that it knows of must not be forgotten in silence. */
export function readSchedules(projectDir: string): Schedules {
  const file = fileIn(projectDir)
  try {
    const parsed: unknown = JSON.parse(readIfThere(file) ?? '{}')
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error('it is not an object')
    const odd = Object.entries(parsed).find(([, state]) => !isState(state))
    if (odd) throw new Error(`${JSON.stringify(odd[0].slice(0, 60))} is not the state of a schedule`)
    return parsed as Schedules
  } catch (error) {
    requireOwnVersion(file)
    throw new AoError('METADATA_DAMAGED', `The state of schedules in ${file} cannot be read: ${errorText(error)}`, {
      hint: `Correct it by hand, or move it away: nothing that was due before then is started again. mv ${file} ${file}.damaged`,
      details: { file },
      cause: error,
    })
  }
}

/** The state afterwards. `change` sees it as it is under the lock; null: it was never seen before. */
export function changeSchedule(
  projectDir: string,
  name: string,
  change: (state: ScheduleState | null) => ScheduleState,
): Promise<ScheduleState> {
  const file = fileIn(projectDir)
  return withLock(`${file}.lock`, () => {
    const all = readSchedules(projectDir)
    const changed = change(Object.hasOwn(all, name) ? all[name]! : null)
    const state = { ...changed, runs: changed.runs.slice(-MOST_RUNS) }
    writeFileAtomic(file, JSON.stringify({ ...all, [name]: state }, null, 2))
    return state
  })
}

/** A start includes a checkout: a large repository takes its time. */
const START_MS = 10 * 60_000

/** While it lasts nobody else starts this one: a start that was announced is not taken for one that was killed. */
export function whileStarting<T>(projectDir: string, name: string, work: () => Promise<T>): Promise<T> {
  return withLock(startLock(projectDir, name), work, { timeoutMs: START_MS })
}

/** The same, unless somebody is starting it: then null, and nothing was done. */
export function unlessStarting<T>(
  projectDir: string,
  name: string,
  work: () => Promise<T>,
): Promise<{ result: T } | null> {
  return withFreeLock(startLock(projectDir, name), work)
}

function startLock(projectDir: string, name: string): string {
  return `${fileIn(projectDir)}.${name}.start`
}

/** With this run instead of the one of the same due time and event, or after the others. */
export function withRun(state: ScheduleState, run: ScheduleRun): ScheduleState {
  return { ...state, runs: [...state.runs.filter(({ due, of }) => due !== run.due || of !== run.of), run] }
}

function fileIn(projectDir: string): string {
  return join(projectDir, 'schedules.json')
}

function isState(value: unknown): value is ScheduleState {
  const { since, runs } = (value ?? {}) as Partial<ScheduleState>
  return (
    typeof since === 'string' &&
    !Number.isNaN(Date.parse(since)) &&
    Array.isArray(runs) &&
    runs.every((run) => !Number.isNaN(Date.parse(run?.due)) && typeof run.state === 'string')
  )
}
