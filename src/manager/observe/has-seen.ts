// Did the agent get a message? A runtime that talks to it in events knows; otherwise its own records show it.
import type { Session } from '../../contract/session.ts'
import { messageFileText } from '../../core/message/message-file.ts'
import { neutralisePaste } from '../../core/prompt/paste-text.ts'
import type { Seen } from '../../slots/agent.ts'
import type { ManagerContext } from '../context.ts'
import { readOptions } from '../read-options.ts'
import { agentOf } from './agent-of.ts'

export interface SentMessage {
  messageId: string
  text: string
  since: Date
}

/** null: there are no records that could show it. */
export async function hasSeen(context: ManagerContext, session: Session, sent: SentMessage): Promise<Seen> {
  const { registry } = context
  const handle = session.runtimeHandle
  if (handle) {
    const events = (await registry.find('runtime', handle.runtimeName))?.events
    if (events) return events.hasSeen(handle, sent.messageId)
  }
  const agent = await agentOf(registry, session)
  if (!agent?.hasSeen) return null
  const options = readOptions(context, session)
  // As it was entered: without control characters; of a long one the line that names its file.
  const seen = await agent.hasSeen(session, neutralisePaste(sent.text), sent.since, options)
  if (seen !== false || agent.typedLimit === undefined || Buffer.byteLength(sent.text) <= agent.typedLimit) return seen
  return agent.hasSeen(session, messageFileText(sent.messageId), sent.since, options)
}
