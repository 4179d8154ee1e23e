// One ranked list of what waits for the person: permission by deadline, question, error, finished, review, merge; oldest
// first within a kind, but reviews by what is blocked behind them × risk ÷ minutes; agents that cannot continue for the same reason
// are one item. Pure; the page and `ao next` use it.
import { writeBlocker } from '../../contract/blocker.ts'
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import { type ErrorCause, NEED_KINDS } from '../../contract/dashboard/needs.ts'
import { weighReview } from '../review/weigh-review.ts'
import { compare, compareDeadlines, type Need } from './find-need.ts'

export interface QueueItem extends Need {
  /** Stays the same while it waits for the same thing. */
  key: string
  /** The sessions it is about, the longest waiting first. */
  sessions: string[]
  /** Of a review: why it stands where it does. */
  why?: string | undefined
  weight?: number | undefined
}

type QueueCard = Pick<SessionCard, 'id' | 'agent' | 'need' | 'snoozedUntil'> &
  Partial<Pick<SessionCard, 'projectId' | 'issue' | 'pr' | 'risk' | 'blockers'>>

export function rankQueue(cards: readonly QueueCard[], now: number): QueueItem[] {
  const waiting = cards.filter(({ need, snoozedUntil }) => need !== null && !isAsleep(snoozedUntil, now))
  const groups = Map.groupBy(waiting, keyOf)
  const waits = waitsFor(cards)
  return [...groups].map(([key, group]) => weighed(toItem(key, group), group[0]!, { waits, now })).sort(byRank)
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

/** Which sessions wait for what, by the words of `blockers`. */
function waitsFor(cards: readonly QueueCard[]): Map<string, QueueCard[]> {
  const waits = new Map<string, QueueCard[]>()
  for (const card of cards) for (const word of card.blockers ?? []) waits.set(word, [...(waits.get(word) ?? []), card])
  return waits
}

function weighed(
  item: QueueItem,
  card: QueueCard,
  { waits, now }: { waits: ReadonlyMap<string, QueueCard[]>; now: number },
): QueueItem {
  if (item.kind !== 'review') return item
  const since = Date.parse(item.since)
  const behind = behindIt(card, waits)
  return { ...item, ...weighReview({ risk: card.risk ?? null, behind, since: Number.isNaN(since) ? now : since, now }) }
}

/** Everybody who waits for it, or for somebody who does. */
function behindIt(card: QueueCard, waits: ReadonlyMap<string, QueueCard[]>): string[] {
  const found = new Set([card.id])
  const open = [card]
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const other of wordsFor(one).flatMap((word) => waits.get(word) ?? []))
      if (!found.has(other.id)) {
        found.add(other.id)
        open.push(other)
      }
  found.delete(card.id)
  return [...found].sort()
}

/** How others name it when they wait for it. */
function wordsFor({ id, projectId, issue, pr }: QueueCard): string[] {
  const number = pr?.number ?? null
  return [
    writeBlocker({ kind: 'session', id }),
    ...(projectId === undefined || !issue ? [] : [writeBlocker({ kind: 'issue', project: projectId, id: issue.id })]),
    ...(projectId === undefined || number === null ? [] : [writeBlocker({ kind: 'pull', project: projectId, number })]),
  ]
}

function byRank(a: QueueItem, b: QueueItem): number {
  const isReview = a.kind === 'review' && b.kind === 'review'
  return (isReview ? (b.weight ?? 0) - (a.weight ?? 0) : 0) || compareNeeds(a, b) || compare(a.key, b.key)
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
