import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Session } from '../../../contract/session.ts'
import type { ActivityState } from '../../../contract/status.ts'
import type { RecordedTurn } from '../turn-event.ts'
import { activityOfTurn } from './activity-of-turn.ts'
import { recordScreen } from './screen-log.ts'

let workspacePath: string
beforeEach(() => {
  workspacePath = mkdtempSync(join(tmpdir(), 'ao-turn-'))
})
afterEach(() => rmSync(workspacePath, { recursive: true, force: true }))

const BEGAN = Date.parse('2026-01-01T00:00:00Z')
const after = (ms: number) => new Date(BEGAN + ms)

function stateAt(ms: number, turn: Partial<RecordedTurn>, screens: Array<[ms: number, state: ActivityState]> = []) {
  const session = { workspacePath, metadata: {}, runtimeHandle: { id: 'h' } } as unknown as Session
  for (const [at, state] of screens) {
    const shows = turn.isOnScreenFirst ? () => state : undefined
    recordScreen(session, `shows ${state}`, () => (shows && state === 'ready' ? null : state), after(at), { shows })
  }
  const newest = { kind: 'working', at: after(0), evidence: 'its records', mayWait: true, ...turn } as RecordedTurn
  const options = { now: after(ms), readyThresholdMs: 300_000, stateDir: '' }
  const reading = activityOfTurn(newest, null, { session, options })
  return [reading?.state, reading?.watchScreen === true]
}

it.each<[string, number, Partial<RecordedTurn>, Array<[number, ActivityState]>, [ActivityState, boolean]]>([
  ['a tool runs, and nobody has read the screen', 500, {}, [], ['active', true]],
  ['a tool runs, and the screen shows it', 30_000, {}, [[400, 'active']], ['active', true]],
  ['a tool asks', 1_000, {}, [[800, 'waiting_input']], ['waiting_input', true]],
  [
    'a tool has got its answer',
    2_000,
    {},
    [
      [800, 'waiting_input'],
      [1_500, 'active'],
    ],
    ['active', true],
  ],
  ['between an answer and its tool the screen shows neither', 1_000, {}, [[800, 'ready']], ['active', true]],
  ['the screen stays at rest', 9_000, {}, [[800, 'ready']], ['ready', true]],
  ['an answer that a tool may follow', 1_000, { kind: 'finished' }, [], ['ready', true]],
  [
    'a tool that follows an answer asks',
    1_000,
    { kind: 'finished' },
    [[900, 'waiting_input']],
    ['waiting_input', true],
  ],
  ['an answer of long ago', 20_000, { kind: 'finished' }, [], ['ready', false]],
  ['records that say everything', 1_000, { mayWait: false }, [[800, 'waiting_input']], ['active', false]],
])('%s', (_what, ms, turn, screens, expected) => {
  expect(stateAt(ms, turn, screens)).toEqual(expected)
})

const LATE = { mayWait: false, isOnScreenFirst: true }

it.each<[string, number, Array<[number, ActivityState]>, ActivityState]>([
  ['nobody has looked', 500, [], 'active'],
  [
    'one look shows it at rest, perhaps between two drawings',
    1_000,
    [
      [500, 'active'],
      [1_000, 'ready'],
    ],
    'active',
  ],
  [
    'two looks show it at rest',
    1_250,
    [
      [500, 'active'],
      [1_000, 'ready'],
      [1_250, 'ready'],
    ],
    'ready',
  ],
  [
    'it works again in between',
    1_500,
    [
      [1_000, 'ready'],
      [1_250, 'active'],
      [1_500, 'ready'],
    ],
    'active',
  ],
  [
    'it was at rest before the message',
    250,
    [
      [-500, 'ready'],
      [-250, 'ready'],
      [0, 'ready'],
    ],
    'active',
  ],
  [
    'it was at rest long before the message, and is again',
    1_250,
    [
      [-60_000, 'ready'],
      [1_000, 'ready'],
      [1_250, 'ready'],
    ],
    'ready',
  ],
  [
    'it is at rest for long, and only the poll looks',
    61_250,
    [
      [1_000, 'active'],
      [1_250, 'ready'],
      [31_250, 'ready'],
      [61_250, 'ready'],
    ],
    'ready',
  ],
  ['it asks', 1_000, [[900, 'waiting_input']], 'waiting_input'],
])('records that come late, and the screen is earlier: %s', (_what, ms, screens, expected) => {
  expect(stateAt(ms, LATE, screens)).toEqual([expected, true])
})

it.each([
  ['a fresh agent', false],
  ['a resumed one', true],
])('after the clock went back behind its start, %s is unknown until it has passed it again', (_who, isResume) => {
  const session = { workspacePath, metadata: {}, runtimeHandle: { id: 'h' } } as unknown as Session
  const note = { launchedAt: after(3_600_000), dataDir: '', isResume }
  const stateAtTime = (now: number, written: number) => {
    const turn: RecordedTurn = { kind: 'working', at: after(written), evidence: 'its records' }
    return activityOfTurn(turn, note, {
      session,
      options: { now: after(now), readyThresholdMs: 300_000, stateDir: '' },
    })
  }
  // It works, and writes with the clock as it is now.
  expect(stateAtTime(1_000, 900)).toBeNull()
  expect(stateAtTime(3_601_000, 3_600_900)).toMatchObject({ state: 'active' })
})
