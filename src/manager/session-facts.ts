// What is worth keeping in the record about a session that is about to change: its summary and the agent's own id.
import type { Session } from '../contract/session.ts'
import { ignoreFailure } from '../lib/ignore-failure.ts'
import type { ManagerContext } from './context.ts'
import { readOptions } from './read-options.ts'

export async function sessionFacts(context: ManagerContext, session: Session): Promise<Record<string, string>> {
  const facts: Record<string, string> = {}
  const name = session.metadata.agent
  if (name === undefined) return facts
  await ignoreFailure('the summary is a courtesy', context.log, async () => {
    await context.registry.ensure('agent', name)
    const agent = context.registry.get('agent', name)
    const info = await agent?.getSessionInfo(session, readOptions(context, session))
    if (info?.summary) facts.summary = info.summary
    if (info?.agentSessionId && agent?.sessionIdKey) facts[agent.sessionIdKey] = info.agentSessionId
  })
  return facts
}
