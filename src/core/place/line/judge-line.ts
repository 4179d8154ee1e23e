// Whether a session in a place lives, by what its line wrote down. Alive and dead are claims with a proof; everything else
// is unknown, with the reason.
import type { LineMemory } from './line-state.ts'

export interface KnownOfLine {
  place: string
  /** false: it was ended, and its place given back or paused. */
  hasSpec: boolean
  isPaused?: boolean
  exit: { exitCode: number | null; signal: string | null; why?: string | undefined } | null
  /** A line that is not running says nothing about now, whatever it wrote down. */
  isRunning: boolean
  memory: Pick<LineMemory, 'connected' | 'why' | 'orphaned' | 'trouble'> | null
}

export type LineVerdict =
  | { state: 'alive' }
  | { state: 'dead'; why: string; exitCode?: number | null; signal?: string | null }
  | { state: 'unknown'; why: string }

export function judgeLine({ place, hasSpec, isPaused, exit, isRunning, memory }: KnownOfLine): LineVerdict {
  if (!hasSpec && isPaused) return { state: 'dead', why: `it is paused in ${place}, and nothing of it is running` }
  if (!hasSpec) return { state: 'dead', why: 'it was ended, and its place given back' }
  if (exit) {
    const how = exit.why ?? exit.signal ?? `exit code ${exit.exitCode}`
    return { state: 'dead', exitCode: exit.exitCode, signal: exit.signal, why: `the agent ended: ${how}` }
  }
  if (memory === null || !isRunning) return { state: 'unknown', why: `the line to ${place} is not running` }
  if (!memory.connected) return { state: 'unknown', why: `${place} cannot be reached: ${memory.why}` }
  if (memory.orphaned) return { state: 'unknown', why: 'its host was killed, the agent is still running' }
  if (memory.trouble) return { state: 'unknown', why: memory.trouble }
  return { state: 'alive' }
}
