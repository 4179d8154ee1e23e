// An MCP server for agents, as written in `config.toml` and AGENT.md.
import * as z from 'zod/mini'

const name = z.string().check(z.minLength(1), z.maxLength(100))

export const mcpServerSchema = z.union([
  z.strictObject({
    name,
    command: z.string().check(z.minLength(1)),
    args: z._default(z.array(z.string()), []),
    env: z._default(z.record(z.string(), z.string()), {}),
  }),
  z.strictObject({
    name,
    type: z._default(z.enum(['http', 'sse']), 'http'),
    url: z.url(),
    headers: z._default(z.record(z.string(), z.string()), {}),
  }),
])
export type McpServerConfig = z.infer<typeof mcpServerSchema>
