// What a line to a session in a place remembers, what happens to it, and what it can do. Plain data: the decisions are in
// decide-line.ts, the process that carries them out is plugins/place/line.
import type { CheckedExit, CheckedFact } from '../check-far-values.ts'

/** What the agent's own files say, as its place read them. */
export interface FarReading {
  activity: { state: string; timestamp?: string; evidence?: string; asksInWords?: boolean } | null
  info: unknown
}

/** Outlives the line: on disk before anything that follows from it is done. */
export interface LineMemory {
  connected: boolean
  /** Since when it is (not) connected. */
  since: number
  /** Connected, but the place has answered nothing since then. null: it answers. Absent in older files. */
  silentSince?: number | null
  why: string
  /** The agent lives without its terminal. */
  orphaned: boolean
  /** The agent may have ended, but what is needed to record that is not home yet. Absent in older files. */
  trouble?: string | null
  /** Last number of the far log that was handled. */
  read: number
  reading: FarReading | null
  /** Why home's copy of the work is not up to date; null: it is. */
  mirror: string | null
}

export type LinePhase =
  | 'new'
  | 'connecting'
  /** No host answered: the engine is asked what became of the place. */
  | 'probing'
  | 'starting-host'
  | 'waiting'
  | 'following'
  /** The agent has ended, and its work comes home. */
  | 'ending'
  /** Its work is home, and its end is being recorded. */
  | 'recording'
  | 'over'

/** Dies with the process. */
export interface Line {
  phase: LinePhase
  /** Attempts without a connection, in a row. */
  failures: number
  /** The place is reached, but nothing listens there. */
  hasNoHost: boolean
  /** The agent is in the middle of a turn. */
  isWorking: boolean
  /** The end that is about to be recorded; its number is null when it is the engine that reported it. */
  end: LineEnd | null
  /** How often work was asked for, and how many of these came to an end; the end waits for the last one. */
  saves: number
  saved: number
}

export type LineEnd = Omit<CheckedExit, 'type' | 'n'> & { n: number | null }

export interface ProbedPlace {
  state: 'up' | 'gone' | 'unknown'
  why?: string | undefined
  ending?: string | undefined
}

export type LineTimer = 'retry' | 'save-regularly' | 'save-again'

export type LineEvent =
  | { type: 'started' }
  | { type: 'connected'; agent: 'none' | 'running' | 'ended' | 'orphaned' }
  | { type: 'not-connected'; why: string; hasNoHost: boolean }
  | { type: 'probed'; place: ProbedPlace }
  /** `why`: it could not be started. */
  | { type: 'host-started'; why: string | null }
  | { type: 'fact'; fact: CheckedFact }
  /** In home's time. */
  | { type: 'reading'; reading: FarReading }
  | { type: 'head' }
  | { type: 'trouble'; why: string }
  /** An agent without a terminal said something. */
  | { type: 'output'; endsTurn: boolean }
  /** `why`: the work did not come home. */
  | { type: 'saved'; save: number; why: string | null }
  | { type: 'end-recorded' }
  | { type: 'lost'; why: string }
  /** The place last answered then; null: it answers again. */
  | { type: 'silence'; since: number | null }
  | { type: 'timer'; timer: LineTimer }

export type LineAct =
  | { act: 'connect' }
  | { act: 'probe' }
  | { act: 'start-host' }
  /** Reads the log of the place from there on. */
  | { act: 'follow'; after: number }
  | { act: 'answer'; fact: Extract<CheckedFact, { type: 'ask' }> }
  /** One after the other, in this order. */
  | { act: 'save'; save: number }
  | { act: 'record-end'; end: LineEnd }
  /** Of the connection, with the timers of saving. */
  | { act: 'close' }
  | { act: 'timer'; timer: LineTimer; ms: number }
  | { act: 'leave' }

export interface LineStep {
  line: Line
  /** Durable before the acts; null: nothing changes. */
  keep: Partial<LineMemory> | null
  acts: LineAct[]
}

export function newLine(): Line {
  return { phase: 'new', failures: 0, hasNoHost: false, isWorking: false, end: null, saves: 0, saved: 0 }
}
