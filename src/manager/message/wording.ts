// What is actually entered for a message: text that an agent would treat as a command is entered so that it stays text.
import { enterAsText, withoutInvisible } from '../../core/message/enter-as-text.ts'
import type { ManagerContext } from '../context.ts'
import { agentOf, type Recipient } from './entry-check.ts'

/** Over the protocol there is no shell, but every agent has commands. */
const OVER_PROTOCOL = '/'

export async function wordingOf(
  context: ManagerContext,
  to: Recipient,
  { text, raw }: { text: string; raw?: boolean },
): Promise<string> {
  if (raw) return text
  if (to.runtime.events !== undefined) return enterAsText(text, OVER_PROTOCOL)
  const agent = await agentOf(context, to.session)
  const { inputCommands } = agent ?? {}
  // Plugins for an earlier version of ao have an object there.
  const commands = typeof inputCommands === 'string' ? inputCommands : undefined
  return enterAsText(agent?.dropsInvisible ? withoutInvisible(text) : text, commands)
}
