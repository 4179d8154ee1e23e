// Files in a repository that make an agent run something, reach something or ask less: hooks, MCP servers, plugins,
// settings. An agent's own trust dialog is about these, and ao answers it only when the user has consented to them. One
// list.

import { AGENT_TABLE, agentRow } from './agent-table.ts'

export const AGENT_FILES = {
  'claude-code': ['.claude', '.mcp.json'],
  codex: ['.codex', '.agents'],
  gemini: ['.gemini', '.env'],
  opencode: ['opencode.json', 'opencode.jsonc', '.opencode', 'bunfig.toml', '.env'],
  aider: ['.aider.conf.yml', '.aider.model.settings.yml', '.aider.model.metadata.json', '.env'],
} as const satisfies Record<string, readonly string[]>

/** For an agent that does not declare which of them it reads. */
export const ALL_AGENT_FILES: readonly string[] = [
  ...new Set([
    ...Object.values(AGENT_FILES).flat(),
    ...AGENT_TABLE.flatMap(({ repositoryFiles }) => repositoryFiles ?? []),
  ]),
]

/** What a container may be built from. */
export const DEVCONTAINER_FILES = ['.devcontainer', '.devcontainer.json'] as const

/** null: what it reads is unknown. */
export function filesOfAgent(name: string): readonly string[] | null {
  const own = Object.hasOwn(AGENT_FILES, name) ? AGENT_FILES[name as keyof typeof AGENT_FILES] : null
  return own ?? agentRow(name)?.repositoryFiles ?? null
}

/** Belongs to the user unless git tracks it. */
export const ONLY_WHEN_TRACKED: readonly string[] = ['.env']
