// Did the agent get a message? A runtime that talks to it in events knows; otherwise its own records show it.
import type { Session } from '../../contract/session.ts'
import type { ManagerContext } from '../context.ts'
import { readOptions } from '../read-options.ts'
import { agentOf } from './agent-of.ts'

export interface SentMessage {
  messageId: string
  text: string
  since: Date
}

/** null: there are no records that could show it. */
export async function hasSeen(context: ManagerContext, session: Session, sent: SentMessage): Promise<boolean | null> {
  const { registry } = context
  const handle = session.runtimeHandle
  if (handle) {
    const events = (await registry.find('runtime', handle.runtimeName))?.events
    if (events) return events.hasSeen(handle, sent.messageId)
  }
  const agent = await agentOf(registry, session)
  return (await agent?.hasSeen?.(session, sent.text, sent.since, readOptions(context, session))) ?? null
}
