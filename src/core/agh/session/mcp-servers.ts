// The MCP servers of a session in ACP's format, as far as the agent can use them.
import type { McpServerConfig } from '../../../contract/agh/mcp-server.ts'

export interface McpAbilities {
  http?: boolean | undefined
  sse?: boolean | undefined
}

type Pairs = Array<{ name: string; value: string }>
export type AcpMcpServer =
  | { name: string; command: string; args: string[]; env: Pairs }
  | { name: string; type: 'http' | 'sse'; url: string; headers: Pairs }

export interface McpPlan {
  servers: AcpMcpServer[]
  /** Names of those the agent cannot reach. */
  skipped: string[]
}

export function planMcpServers(configured: readonly McpServerConfig[], abilities: McpAbilities): McpPlan {
  const plan: McpPlan = { servers: [], skipped: [] }
  for (const one of configured) {
    if ('command' in one) {
      const { name, command, args, env } = one
      plan.servers.push({ name, command, args, env: pairsOf(env) })
    } else if (abilities[one.type]) {
      const { name, type, url, headers } = one
      plan.servers.push({ name, type, url, headers: pairsOf(headers) })
    } else plan.skipped.push(one.name)
  }
  return plan
}

/** Of two with the same name the later one wins. */
export function joinMcpServers(...lists: ReadonlyArray<readonly McpServerConfig[]>): McpServerConfig[] {
  return [...new Map(lists.flat().map((one) => [one.name, one])).values()]
}

function pairsOf(record: Readonly<Record<string, string>>): Pairs {
  return Object.entries(record).map(([name, value]) => ({ name, value }))
}
