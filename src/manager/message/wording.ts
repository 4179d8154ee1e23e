// What is actually entered for a message: text that an agent would treat as a command is entered so that it stays text.
import { AoError } from '../../contract/errors.ts'
import { enterAsText, withoutInvisible } from '../../core/message/enter-as-text.ts'
import type { ManagerContext } from '../context.ts'
import { agentOf, type Recipient } from './entry-check.ts'

/** Over the protocol there is no shell, but every agent has commands. */
const OVER_PROTOCOL = { '/': 'mark' } as const

/** Throws MESSAGE_REFUSED for what cannot be entered as text. */
export async function wordingOf(
  context: ManagerContext,
  to: Recipient,
  { text, raw }: { text: string; raw?: boolean },
): Promise<string> {
  if (raw) return text
  const agent = await agentOf(context, to.session)
  const overProtocol = to.runtime.events !== undefined
  const clean = agent?.dropsInvisible && !overProtocol ? withoutInvisible(text) : text
  const entered = enterAsText(clean, overProtocol ? OVER_PROTOCOL : (agent?.inputCommands ?? {}))
  if ('text' in entered) return entered.text
  throw new AoError('MESSAGE_REFUSED', `${to.session.id} (${agent?.name}) was sent nothing: ${entered.refused}`, {
    hint: 'Begin it with another word; if you mean the command, send it with: ao send --raw',
    details: { sessionId: to.session.id },
  })
}
