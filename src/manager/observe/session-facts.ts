// What to keep in the record of a session that is about to change: its summary and the agent's own id.
import { type RecordChange, recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import type { ManagerContext } from '../context.ts'
import { readOptions } from '../read-options.ts'
import { readAgentEvents } from './read-events.ts'

export async function sessionFacts(context: ManagerContext, session: Session): Promise<RecordChange> {
  let facts: RecordChange = {}
  const name = recordOf(session).agent
  if (name === undefined) return facts
  await ignoreFailure('the summary is a courtesy', context.log, async () => {
    const heard = await readAgentEvents(context, [session], async (runtime) => {
      return context.registry.find('runtime', runtime)
    })
    if (heard.has(session.id)) {
      const summary = heard.get(session.id)?.info?.summary
      if (summary) facts = { summary }
      return
    }
    const agent = await context.registry.find('agent', name)
    const info = await agent?.getSessionInfo(session, readOptions(context, session))
    const { summary, agentSessionId } = info ?? {}
    facts = {
      summary: summary ?? undefined,
      others: agentSessionId && agent?.sessionIdKey ? { [agent.sessionIdKey]: agentSessionId } : undefined,
    }
  })
  return facts
}
