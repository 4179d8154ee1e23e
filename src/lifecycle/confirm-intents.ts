// A process that died between sending a message and noting so left an intent. The session's history tells whether the
// agent got it; then it is done, and what is decided next knows it.
import type { ProjectConfig } from '../contract/config.ts'
import type { SessionEvent } from '../contract/events.ts'
import type { ReactionMemory, ReactionRecord } from '../contract/reactions.ts'
import type { Session } from '../contract/session.ts'
import { afterAct } from '../core/reactions/decide-reactions.ts'
import { readOptions } from '../manager/read-options.ts'
import type { LoopContext } from './loop-context.ts'

interface Subject {
  session: Session
  project: ProjectConfig
}

export async function confirmIntents(
  loop: LoopContext,
  subject: Subject,
  memory: ReactionMemory,
): Promise<ReactionMemory> {
  const confirmed = { ...memory }
  // What this very process is doing now is no left-over.
  if (loop.acting.has(subject.session.id)) return confirmed
  for (const [key, record] of Object.entries(memory)) {
    if (record?.state !== 'intended' || record.escalating || !(await wasCarriedOut(loop, subject, key, record)))
      continue
    confirmed[key as keyof ReactionMemory] = afterAct(record, true, record.lastAt)
  }
  return confirmed
}

/** The first time of a condition and the number of the attempt: no two intents of a reaction share both. */
export function intentOf({ firstAt, attempts }: ReactionRecord): string {
  return `${firstAt}:${attempts}`
}

async function wasCarriedOut(
  loop: LoopContext,
  { session, project }: Subject,
  key: string,
  record: ReactionRecord,
): Promise<boolean> {
  const store = loop.manager.store(project.id)
  const { events } = store.readHistory(session.id)
  const noted = events.findLastIndex((one) => one.type === 'reaction' && one.key === key)
  const last = events[noted]
  const intent = intentOf(record)
  if (last?.type === 'reaction' && last.outcome === 'done' && last.intent === intent) return true
  // Every act ends with its note, so a message after the last one belongs to this intent.
  const sent = events
    .slice(noted + 1)
    .findLast((one): one is Queued => one.type === 'message.queued' && one.source === key)
  if (!sent || !(await wasHandedOver(loop, session, events, sent))) return false
  await store.appendEvents(session.id, [
    { type: 'reaction', key, action: 'send-to-agent', outcome: 'done', why: 'found out after a restart', intent },
  ])
  return true
}

type Queued = Extract<SessionEvent, { type: 'message.queued' }>

async function wasHandedOver(
  loop: LoopContext,
  session: Session,
  events: SessionEvent[],
  sent: Queued,
): Promise<boolean> {
  const fate = events.findLast((one) => 'messageId' in one && one.messageId === sent.messageId && one !== sent)
  if (fate) return fate.type !== 'message.undelivered'
  // It died in the very moment of sending: only the agent knows. One without records is told again, as losing is worse.
  const name = session.metadata.agent
  if (name === undefined) return false
  await loop.manager.registry.ensure('agent', name)
  const agent = loop.manager.registry.get('agent', name)
  const seen = await agent?.hasSeen?.(session, sent.text, new Date(sent.at), readOptions(loop.manager, session))
  return seen === true
}
