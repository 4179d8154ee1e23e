// The agents that ship with ao, apart from the other plugins: the host beside an agent in a place needs nothing else.
import { AGENT_TABLE, type AgentRow } from '../contract/agents/agent-table.ts'
import type { Plugin } from '../slots/plugin.ts'

type AgentLoaders = Record<`agent-${string}`, () => Promise<{ plugin: Plugin }>>

/** By `agent-name`, which is also the folder, but for agents of the table. */
export const AGENT_LOADERS: AgentLoaders = {
  'agent-claude-code': () => import('./agent-claude-code/index.ts'),
  'agent-codex': () => import('./agent-codex/index.ts'),
  'agent-opencode': () => import('./agent-opencode/index.ts'),
  'agent-gemini': () => import('./agent-gemini/index.ts'),
  ...tableLoaders((row) => row.verified !== null),
  'agent-aider': () => import('./agent-aider/index.ts'),
  ...tableLoaders((row) => row.verified === null),
  'agent-generic': () => import('./agent-generic/index.ts'),
  'agent-demo': () => import('./agent-demo/index.ts'),
}

/** Agents that are rows of a table: their code is the same. */
function tableLoaders(isWanted: (row: AgentRow) => boolean): AgentLoaders {
  const rows = AGENT_TABLE.filter((row) => row.terminal !== 'own' && isWanted(row))
  return Object.fromEntries(
    rows.map(({ name }) => [`agent-${name}`, async () => (await import('./agent-table/index.ts')).tablePlugin(name)]),
  )
}
