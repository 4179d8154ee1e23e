// A cassette: what the loop saw of one project on one day, line by line, for `ao simulate --replay`. The first line of each start of
// the loop is complete; the others hold only what changed. Words of people, agents and repositories are in it as keyed hashes, whose key
// is nowhere; the rest are states, numbers, times and ids of sessions.
import type { DayLedger } from '../../contract/budget.ts'
import { FORMATS } from '../../contract/formats.ts'
import type { ReactionMemory } from '../../contract/reactions.ts'
import type { ActivityState, SessionStatus } from '../../contract/status.ts'

export const CASSETTE_VERSION = FORMATS.cassette
export const CASSETTE_DIRECTORY = 'cassettes'

/** A pull request as `PullNews` has it, with hashes in place of words. Validated where it is used: by its type alone. */
export type MaskedNews = Record<string, unknown>

/** Everything a decision about one session depends on. */
export interface SessionFacts {
  /** Pairs of its record. */
  record: Record<string, string>
  live: { state: 'alive' | 'dead' | 'unknown'; exitCode?: number | null; signal?: string | null; lost?: boolean } | null
  /** State and time of what its agent does; `asks`: in words. */
  reading: { state: ActivityState; at: number | null } | null
  operation: { kind: string; ownerAlive: boolean; keepWorkspace: boolean } | null
  limitResetsAt: number | null
  /** Its agent was stopped; everything is; its screen was all there was to read. */
  isPaused: boolean
  isFleetPaused: boolean
  isGlimpse: boolean
  isActing: boolean
  promptSeen: boolean
  expired: boolean
  /** Input, output, read and written cache, dollars. */
  cost: [number, number, number, number, number | null] | null
  head: string | null
  pulls: MaskedNews[]
  /** Ids of others with hashes of paths, or of what fails with both; null: the radar has not seen the project. */
  collisions: Array<{ other: string; files: string[]; red?: string }> | null
  undecided: string[]
  /** Only where it is not what the lines before amount to. */
  memory: ReactionMemory | null
}

/** What was decided: memory key, action or `escalate`, attempt. */
export type RecordedDecision = [key: string, action: string, attempt: number]

export type CassetteLine =
  | {
      k: 'start'
      v: number
      ao: string
      project: string
      t: number
      /** Minutes that local time is ahead of UTC. */
      zone: number
      /** Hash of the settings that decide. */
      settings: string
      ledger: DayLedger | null
    }
  | {
      k: 'round'
      t: number
      /** Absent: all of them. */
      only?: string[]
      /** What changed since the line before, by session; null deletes a pair of a record. */
      s: Record<string, Partial<Omit<SessionFacts, 'record'>> & { record?: Record<string, string | null> }>
      /** Sessions that were observed, where that is not all of `s` and nothing else. */
      o?: string[]
      /** Those of them that could not be updated: nothing was decided about them. */
      f?: string[]
      /** Those that are no longer there. */
      gone?: string[]
      d?: Record<string, RecordedDecision[]>
      /** New statuses. */
      st?: Record<string, SessionStatus>
    }
  | { k: 'acted'; t: number; s: string; o: Array<[key: string, succeeded: boolean, at: number]> }
  | { k: 'notice'; t: number; type: string; about: string }
  | { k: 'train'; t: number; type: string; pull: number | null; why?: string; others?: number[]; head?: string }
  | { k: 'backlog'; t: number; free: number; room: number }
