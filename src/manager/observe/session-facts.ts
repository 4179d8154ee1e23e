// What to keep in the record of a session that is about to change: its summary, the agent's own id and what it has used.
import { type RecordChange, recordOf } from '../../contract/record.ts'
import type { AgentSessionInfo, Session } from '../../contract/session.ts'
import { spentOf, usageChange } from '../../core/status/spent.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { agentOf, type ManagerContext } from '../context.ts'
import { readOptions } from './observe-sessions.ts'
import { readAgentEvents } from './read-events.ts'

export async function sessionFacts(context: ManagerContext, session: Session): Promise<RecordChange> {
  let facts: RecordChange = {}
  const name = recordOf(session).agent
  if (name === undefined) return facts
  await ignoreFailure('the summary is a courtesy', context.log, async () => {
    const handle = session.runtimeHandle
    const runtime = handle && (await context.registry.find('runtime', handle.runtimeName))
    const heard = await readAgentEvents(context, [{ session, runtime }])
    if (heard.has(session.id)) {
      const info = heard.get(session.id)?.info
      facts = { summary: info?.summary ?? undefined, ...usedBy(context, session, info) }
      return
    }
    const agent = await agentOf(context.registry, session)
    const info = await agent?.getSessionInfo(session, readOptions(context, session))
    const { summary, agentSessionId } = info ?? {}
    facts = {
      summary: summary ?? undefined,
      ...usedBy(context, session, info),
      others: agentSessionId && agent?.sessionIdKey ? { [agent.sessionIdKey]: agentSessionId } : undefined,
    }
  })
  return facts
}

function usedBy(context: ManagerContext, session: Session, info: AgentSessionInfo | null | undefined): RecordChange {
  const spent = info?.cost && spentOf({ ...session, agentInfo: info })
  return spent && (spent.tokens > 0 || spent.costUsd !== null) ? usageChange(spent, context.clock.now()) : {}
}
