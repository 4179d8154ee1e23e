// Whether a session in a place lives, by what its line wrote down. Alive and dead are claims with a proof; everything else
// is unknown, with the reason.
import type { UnknownAgent } from '../../../contract/session.ts'
import type { LineMemory } from './line-state.ts'

export interface LineFacts {
  place: string
  /** false: it was ended, and its place given back or paused. */
  hasSpec: boolean
  isPaused?: boolean
  exit: { code: number | null; signal: string | null; why?: string | undefined } | null
  /** A line that is not running says nothing about now, whatever it wrote down. */
  isRunning: boolean
  memory: Pick<LineMemory, 'connected' | 'since' | 'silentSince' | 'why' | 'orphaned' | 'trouble'> | null
}

export type LineVerdict =
  | { state: 'alive' }
  | { state: 'dead'; why: string; exitCode?: number | null; signal?: string | null }
  /** `agent`: what the agent was last seen doing no longer holds. */
  | { state: 'unknown'; why: string; agent?: UnknownAgent }

/** A connection that comes back within this time was never a reason to doubt what was read a moment ago. */
export const UNREACHABLE_MS = 10_000

export function judgeLine({ place, hasSpec, isPaused, exit, isRunning, memory }: LineFacts, now: number): LineVerdict {
  if (!hasSpec && isPaused) return { state: 'dead', why: `it is paused in ${place}, and nothing of it is running` }
  if (!hasSpec) return { state: 'dead', why: 'it was ended, and its place given back' }
  if (exit) {
    const how = exit.why ?? exit.signal ?? `exit code ${exit.code}`
    return { state: 'dead', exitCode: exit.code, signal: exit.signal, why: `the agent ended: ${how}` }
  }
  const unknown = (why: string, since: number | null, unreachable: boolean): LineVerdict => {
    const agent = { place, why, since: since === null ? null : new Date(since), unreachable }
    return { state: 'unknown', why, agent }
  }
  if (memory === null || !isRunning) return unknown(`the line to ${place} is not running`, null, false)
  if (!memory.connected || memory.silentSince != null) {
    const since = memory.connected ? memory.silentSince! : memory.since
    const why = `${place} cannot be reached: ${(!memory.connected && memory.why) || 'no answer'}`
    return now - since < UNREACHABLE_MS ? { state: 'unknown', why } : unknown(why, since, true)
  }
  if (memory.orphaned) return unknown('its host was killed, the agent is still running', memory.since, false)
  if (memory.trouble) return unknown(memory.trouble, null, false)
  return { state: 'alive' }
}
