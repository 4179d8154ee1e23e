// Whether a trigger starts its work now: for each event at most once, one session at a time, and a limited number a day. Pure.
import type { ProjectConfig } from '../../contract/config.ts'
import { readSignature } from '../forge/comment-signature.ts'
import type { ScheduleRun, ScheduleState } from './decide-schedule.ts'

/** Something that happened: an issue got a label, somebody gave a command, a signed request came. */
export interface TriggerEvent {
  /** The same event always has the same name. */
  of: string
  /** ISO 8601 */
  at: string
  issue?: string | undefined
  /** What came with it. Not to be believed. */
  text?: string | undefined
}

export interface TriggerFacts {
  state: ScheduleState
  /** Those that can be seen now. Events that were announced before are in the state. */
  events: readonly TriggerEvent[]
  /** Whether a session was ever started for it. */
  wasStarted(of: string): boolean
  /** Ids of its sessions that have not ended. */
  running: readonly string[]
  today: number
  maxPerDay: number
}

export type TriggerDecision =
  | { act: 'none' }
  /** It was announced before a crash: started if no session of it is found. */
  | { act: 'resume'; run: ScheduleRun }
  | { act: 'start'; run: ScheduleRun }
  /** Events wait: for its session, or for another day. */
  | { act: 'wait'; why: string; events: number }

export function decideTrigger({ state, events, wasStarted, running, today, maxPerDay }: TriggerFacts): TriggerDecision {
  const announced = state.runs.find((run) => run.state === 'starting')
  if (announced) return { act: 'resume', run: announced }
  if (state.paused) return { act: 'none' }
  const handled = new Set(state.runs.flatMap((run) => (run.state === 'waiting' ? [] : (run.of ?? []))))
  const waiting = state.runs.filter((run) => run.state === 'waiting')
  const seen = events
    .filter(({ of, at }) => at > state.since && !handled.has(of) && !wasStarted(of))
    .map(({ of, at, issue, text }): ScheduleRun => ({ due: at, state: 'waiting', of, issue, text }))
  const [first] = [...waiting, ...seen].sort((one, other) => one.due.localeCompare(other.due))
  if (first === undefined) return { act: 'none' }
  const count = waiting.length + seen.length
  if (running.length > 0) return { act: 'wait', why: `${running.join(', ')} has not ended yet`, events: count }
  if (today >= maxPerDay) return { act: 'wait', why: `it started ${today} sessions on this day already`, events: count }
  return { act: 'start', run: { ...first, state: 'starting' } }
}

/**
 * A command is the first line of a comment, alone or with words behind it, by somebody who may give it. What an agent writes with that
 * person's account is signed as its own, and starts nothing; what was edited may be somebody else's words. Returns the words behind it;
 * null: it is not a command.
 */
export function textOfCommand(
  { author, body, isEdited = false }: { author: string; body: string; isEdited?: boolean | undefined },
  { comment, by = [] }: { comment: string; by?: readonly string[] | undefined },
): string | null {
  const { body: text, writer } = readSignature(body)
  const line = text.split('\n', 1)[0]!.trim()
  const isNamed = line === comment || line.startsWith(`${comment} `)
  const isAllowed = by.some((login) => login.toLowerCase() === author.toLowerCase())
  const isPerson = writer === null || writer.kind === 'person'
  return isNamed && isAllowed && isPerson && !isEdited ? text.trim().slice(comment.length).trim() : null
}

/** Labels that start a session by themselves: for people to give, and for whoever may start one anyway. */
export function startingLabels({ backlog, triggers = {} }: Pick<ProjectConfig, 'backlog' | 'triggers'>): string[] {
  return [backlog?.label, ...Object.values(triggers).map(({ label }) => label)].flatMap((label) => label ?? [])
}

/** The first of these labels that would start one; null: none. Trackers compare names without regard to case. */
export function findStarting(starting: readonly string[], labels: readonly string[]): string | null {
  const plain = (name: string) => name.normalize('NFKC').trim().toLowerCase()
  const given = new Set(starting.map(plain))
  return labels.find((label) => given.has(plain(label))) ?? null
}
