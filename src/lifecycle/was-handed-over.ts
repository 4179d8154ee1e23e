// A process that died between sending a message and noting so: the session's history tells whether the agent got it.
import type { ProjectConfig } from '../contract/config.ts'
import type { SessionEvent } from '../contract/events.ts'
import type { Session } from '../contract/session.ts'
import { readOptions } from '../manager/read-options.ts'
import type { LoopContext } from './loop-context.ts'

export async function wasHandedOver(
  loop: LoopContext,
  { session, project }: { session: Session; project: ProjectConfig },
  key: string,
): Promise<boolean> {
  const { events } = loop.manager.store(project.id).readHistory(session.id)
  const sent = unconfirmed(events, key)
  if (sent === null) return false
  const fate = events.findLast((one) => 'messageId' in one && one.messageId === sent.messageId && one !== sent)
  if (fate) return fate.type !== 'message.undelivered'
  // It died in the very moment of sending: only the agent knows. One without records is told again, as losing is worse.
  const name = session.metadata.agent
  const agent = name === undefined ? null : loop.manager.registry.get('agent', name)
  const seen = await agent?.hasSeen?.(session, sent.text, new Date(sent.at), readOptions(loop.manager, session))
  return seen === true
}

type Queued = Extract<SessionEvent, { type: 'message.queued' }>

/** The last message of this reaction, unless the reaction's outcome was noted after it. */
function unconfirmed(events: SessionEvent[], key: string): Queued | null {
  const noted = events.findLastIndex((one) => one.type === 'reaction' && one.key === key)
  const later = events.slice(noted + 1)
  return later.findLast((one): one is Queued => one.type === 'message.queued' && one.source === key) ?? null
}
