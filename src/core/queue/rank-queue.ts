// One ranked list of what waits for the person: permission by deadline, question, error, finished, review, merge; oldest
// first within a kind; agents that cannot continue for the same reason are one item. Pure; the page and `ao next` use it.
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import { type ErrorCause, NEED_KINDS } from '../../contract/dashboard/needs.ts'
import { compare, compareDeadlines, type Need } from './find-need.ts'

export interface QueueItem extends Need {
  /** Stays the same while it waits for the same thing. */
  key: string
  /** The sessions it is about, the longest waiting first. */
  sessions: string[]
}

type QueueCard = Pick<SessionCard, 'id' | 'agent' | 'need' | 'snoozedUntil'>

export function rankQueue(cards: readonly QueueCard[], now: number): QueueItem[] {
  const waiting = cards.filter(({ need, snoozedUntil }) => need !== null && !isAsleep(snoozedUntil, now))
  const groups = Map.groupBy(waiting, keyOf)
  return [...groups].map(([key, group]) => toItem(key, group)).sort(byRank)
}

export function isAsleep(snoozedUntil: string | null, now: number): boolean {
  return snoozedUntil !== null && Date.parse(snoozedUntil) > now
}

/** The same account or provider stops all of them, and one act helps all. */
const SHARED: ReadonlySet<ErrorCause | null> = new Set<ErrorCause | null>(['signed_out', 'limit', 'overloaded'])

function keyOf({ id, agent, need }: QueueCard): string {
  if (need?.kind !== 'error') return `${need?.kind} ${id} ${need?.since}`
  // A machine that was restarted took all of them, whatever their agents are.
  if (need.cause === 'lost') return 'error lost'
  return SHARED.has(need.cause) ? `error ${need.cause} ${agent}` : `error ${id} ${need.since}`
}

function toItem(key: string, group: readonly QueueCard[]): QueueItem {
  const oldest = [...group].sort((a, b) => compare(a.need!.since, b.need!.since) || compare(a.id, b.id))
  const need = oldest[0]!.need!
  // Whether a session is done is decided for each by itself.
  const acts = group.length === 1 ? need.acts : need.acts.filter((act) => act !== 'done')
  return { ...need, acts, key, sessions: oldest.map(({ id }) => id) }
}

function byRank(a: QueueItem, b: QueueItem): number {
  return compareNeeds(a, b) || compare(a.key, b.key)
}

/** The more urgent one first. */
export function compareNeeds(a: Need, b: Need): number {
  return (
    NEED_KINDS.indexOf(a.kind) - NEED_KINDS.indexOf(b.kind) ||
    compareDeadlines(a.deadline, b.deadline) ||
    compare(a.since, b.since)
  )
}

/** The one after this session's, round and round; the first when it is not in the list. null: nobody waits. */
export function nextItem(queue: readonly QueueItem[], sessionId: string | null): QueueItem | null {
  const at = queue.findIndex(({ sessions }) => sessionId !== null && sessions.includes(sessionId))
  return queue[(at + 1) % Math.max(1, queue.length)] ?? null
}
