// Files in a repository that make an agent run something, reach something or ask less: hooks, MCP servers, plugins,
// settings. An agent's own trust dialog is about these, and ao answers it only when the user has consented to them. The table of
// agents has them.

import { AGENT_TABLE, agentRow } from './agent-table.ts'

/** For an agent that does not declare which of them it reads. */
export const ALL_AGENT_FILES: readonly string[] = [
  ...new Set(AGENT_TABLE.flatMap(({ repositoryFiles }) => repositoryFiles ?? [])),
]

/** What a container may be built from. */
export const DEVCONTAINER_FILES = ['.devcontainer', '.devcontainer.json'] as const

/** null: what it reads is unknown. */
export function filesOfAgent(name: string): readonly string[] | null {
  return agentRow(name)?.repositoryFiles ?? null
}

/** Belongs to the user unless git tracks it. */
export const ONLY_WHEN_TRACKED: readonly string[] = ['.env']
