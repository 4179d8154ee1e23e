// The agent of a session as its files can be read: here, or where it runs.
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { Agent } from '../../slots/agent.ts'
import type { PluginRegistry } from '../../slots/registry.ts'

/** null: its record names none, or none that exists. */
export async function agentOf(registry: PluginRegistry, session: Session): Promise<Agent | null> {
  const name = recordOf(session).agent
  const agent = name === undefined ? null : await registry.find('agent', name)
  return agent && whereItRuns(registry, session, agent)
}

export async function whereItRuns(registry: PluginRegistry, session: Session, agent: Agent): Promise<Agent> {
  const handle = session.runtimeHandle
  if (!handle) return agent
  return (await registry.find('runtime', handle.runtimeName))?.elsewhere?.readAgent(handle, agent) ?? agent
}
