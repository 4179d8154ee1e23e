// What must hold for a session after any crash.
import { expect } from 'vitest'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { readProcessTable } from '../../src/lib/process/process-table.ts'
import { ofType } from '../support/agh-events.ts'

/** Numbers without gaps, one end for every turn, nothing after the end of the session, nothing twice. */
export function expectWhole(events: readonly SessionEvent[], after = 0): void {
  expectTurnsWhole(events, after)
  const starts = events.filter(({ type }) => type === 'session_started').length
  const ends = events.filter(({ type }) => type === 'session_stopped').length
  // A start that was killed has an end, but may have no beginning.
  expect(ends).toBeGreaterThanOrEqual(starts)
  if (events.length > 0) expect(events.at(-1)?.type).toBe('session_stopped')
}

/** The same for a session that may still be running, between two turns; `after`: only the events after this number. */
export function expectTurnsWhole(events: readonly SessionEvent[], after = 0): void {
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => after + index + 1))
  const turns = new Map<string, SessionEvent[]>()
  for (const event of events) {
    if (event.turn_id === null) continue
    const turn = turns.get(event.turn_id) ?? []
    turns.set(event.turn_id, turn)
    turn.push(event)
  }
  for (const turn of turns.values()) {
    expect(turn.filter(({ type }) => type === 'user_message')).toHaveLength(1)
    expect(turn.filter(({ type }) => type === 'done' || type === 'error')).toHaveLength(1)
    expectInOrder(turn)
  }
}

/** The scripted agent counts: `0 `, `1 `, `2 ` … */
function expectInOrder(turn: readonly SessionEvent[]): void {
  const counted = ofType(turn, 'agent_message')
    .map(({ content }) => String((content.content as { text?: unknown } | undefined)?.text))
    .filter((text) => /^\d+ $/.test(text))
  expect(counted).toEqual(counted.map((_, index) => `${index} `))
}

/** Processes that carry the session's id. */
export function processesOf(sessionId: string): number {
  return readProcessTable().filter((row) => row.environment.value('AGH_SESSION_ID') === sessionId).length
}
