// A process that died between sending a message and recording it left an intent. The session's history shows whether the
// agent got it; if so it is done, and the next decision knows it.
import type { SessionEvent } from '../../contract/events.ts'
import { intentOf, type MemoryKey, type ReactionMemory, type ReactionRecord } from '../../contract/reactions.ts'
import { afterAct } from '../../core/reactions/decide-reactions.ts'
import type { ReachedSession } from '../../manager/context.ts'
import { hasSeen } from '../../manager/message/entry-check.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export interface Confirmed {
  memory: ReactionMemory
  /** Sent at the moment of the crash, and the agent's records may still show it: neither done nor to be sent again. */
  undecided: Set<MemoryKey>
}

export async function confirmIntents(
  loop: LoopContext,
  subject: ReachedSession,
  stored: ReactionMemory,
): Promise<Confirmed> {
  const memory = { ...stored }
  const undecided = new Set<MemoryKey>()
  // What this very process is doing now is not a leftover.
  if (loop.acting.has(subject.session.id)) return { memory, undecided }
  for (const [name, record] of Object.entries(stored)) {
    const key = name as MemoryKey
    if (record?.state !== 'intended' || record.escalating) continue
    const fate = await fateOf(loop, subject, key, record)
    if (fate === 'done') memory[key] = afterAct(record, true, record.lastAt)
    if (fate === 'unknown') undecided.add(key)
  }
  return { memory, undecided }
}

/** An intent is confirmed soon after it was left: its events are near the end. */
const RECENT_BYTES = 8 * 1024 * 1024

type Fate = 'done' | 'not done' | 'unknown'

async function fateOf(
  loop: LoopContext,
  subject: ReachedSession,
  key: MemoryKey,
  record: ReactionRecord,
): Promise<Fate> {
  const { session } = subject
  const store = loop.context.store(session.projectId)
  const { events } = store.readHistory(session.id, { maxBytes: RECENT_BYTES })
  const noted = events.findLastIndex((one) => one.type === 'reaction' && endsIntentOf(one, key))
  const last = events[noted]
  const intent = intentOf(record)
  if (last?.type === 'reaction' && last.outcome === 'done' && last.intent === intent) return 'done'
  // Every act ends with its record, so a message after the last one belongs to this intent.
  const sent = events
    .slice(noted + 1)
    .findLast((one): one is Queued => one.type === 'message.queued' && one.source === key)
  const fate = sent ? await fateOfMessage(loop, subject, events, sent) : 'not done'
  if (fate !== 'done') return fate
  const [reaction = '', pull] = key.split(' ')
  const why = 'found out after a restart'
  await store.appendEvents(session.id, [
    { type: 'reaction', key: reaction, action: 'send-to-agent', outcome: 'done', why, intent, pull },
  ])
  return 'done'
}

/** The first pull request of a session is remembered by the key alone. */
function endsIntentOf({ key, pull }: Extract<SessionEvent, { type: 'reaction' }>, memory: MemoryKey): boolean {
  return memory === `${key} ${pull}` || memory === key
}

type Queued = Extract<SessionEvent, { type: 'message.queued' }>

/** A busy agent reads a message later, and only then is it in its records. */
const SHOWN_WITHIN_MS = 60_000

const NOT_DONE: ReadonlySet<string> = new Set(['message.undelivered', 'message.withdrawn'])
/** A held message is kept until the agent accepts it. */
const OVER: ReadonlySet<string> = new Set([...NOT_DONE, 'message.held', 'message.handed_over', 'message.seen'])

async function fateOfMessage(
  loop: LoopContext,
  subject: ReachedSession,
  events: SessionEvent[],
  sent: Queued,
): Promise<Fate> {
  const recorded = events.findLast(
    (one) => 'messageId' in one && one.messageId === sent.messageId && OVER.has(one.type),
  )
  if (recorded) return NOT_DONE.has(recorded.type) ? 'not done' : 'done'
  // It died at the very moment of sending: only the agent knows. For one without records it is sent again, as losing it is
  // worse.
  const { messageId, text, at } = sent
  const seen = await hasSeen(loop.context, subject, { messageId, text, since: new Date(at) })
  if (seen === true) return 'done'
  const age = loop.context.clock.now().getTime() - Date.parse(sent.at)
  return seen === false && age < SHOWN_WITHIN_MS ? 'unknown' : 'not done'
}
