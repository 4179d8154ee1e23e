import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../agent-files/turn-event.ts'
import { decideActivity, type ProcessFile } from './activity.ts'

const T = (seconds: number) => new Date(Date.UTC(2026, 10, 15, 1, 0, seconds))

const file = (status: string, at: number, more: Partial<ProcessFile> = {}): ProcessFile => ({
  pid: 42,
  sessionId: 's',
  cwd: '/w',
  status,
  waitingFor: null,
  startedAt: T(0),
  statusAt: T(at),
  liveness: 'alive',
  ...more,
})
const turn = (kind: TurnEvent['kind'], at: number): TurnEvent => ({ kind, at: T(at), evidence: kind })

const decide = (processFile: ProcessFile | null, event: TurnEvent | null, launchedAt: Date | null = T(0)) =>
  decideActivity({ processFile, turn: event, launchedAt, now: T(30), readyThresholdMs: 60_000 })?.state ?? null

describe('the state file and the newest event together', () => {
  it.each([
    ['busy, whatever the event', file('busy', 10), turn('finished', 5), 'active'],
    ['busy for ever', file('busy', -3600, { startedAt: T(0) }), null, 'active'],
    ['busy, but it asked since', file('busy', 10), turn('waiting', 11), 'waiting_input'],
    ['busy again after the answer', file('busy', 12), turn('waiting', 11), 'active'],
    ['waiting', file('waiting', 10), turn('working', 11), 'waiting_input'],
    ['idle after a finished turn', file('idle', 10), turn('finished', 9), 'ready'],
    ['idle after Escape, which has no hook', file('idle', 10), turn('working', 9), 'ready'],
    ['idle after an error', file('idle', 10), turn('failed', 9), 'blocked'],
    ['idle, but a prompt came since', file('idle', 10), turn('working', 11), 'active'],
    ['a word of a newer version', file('dreaming', 10), turn('working', 9), 'active'],
    ['gone', file('busy', 10, { liveness: 'dead' }), turn('working', 11), 'exited'],
    ['gone, but before this launch', file('busy', -10, { liveness: 'dead', startedAt: T(-20) }), null, null],
    ['not known to live', file('busy', 10, { liveness: 'unknown' }), turn('finished', 9), 'ready'],
    ['no file, nothing said', null, null, null],
    ['no file, said to have ended', null, turn('exited', 9), 'exited'],
    ['no file, an end before this launch', null, turn('exited', -9), null],
    ['no file, a turn before this launch', null, turn('working', -9), null],
  ])('S0.44 S0.49 %s', (_what, processFile, event, expected) => {
    expect(decide(processFile, event)).toBe(expected)
  })

  it('knows no launch that could make an event old when nothing was recorded', () => {
    expect(decide(null, turn('exited', -9), null)).toBe('exited')
  })

  it('turns idle by the clock of the newest sign', () => {
    const at = (now: Date) =>
      decideActivity({
        processFile: file('idle', 10),
        turn: turn('finished', 9),
        launchedAt: null,
        now,
        readyThresholdMs: 60_000,
      })
    expect(at(T(69))?.state).toBe('ready')
    expect(at(T(70))).toMatchObject({ state: 'idle', timestamp: T(10) })
  })
})
