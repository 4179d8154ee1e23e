// `agh agent info`: show one agent: its command, and what its sessions begin with.
import type { AgentView } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { toOneLine } from '../print/plain-text.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const agentInfoCommand = defineCommand({
  program: 'agh',
  name: 'agent info',
  about: 'Show one agent: its command, and what its sessions begin with',
  details: 'The exit code is 1 when no session of it can start.',
  args: { agent: { about: 'Its name', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ agent: AgentView }>(`/api/agents/${encodeURIComponent(args.agent)}`)
    const { agent } = answer
    printOne(io, format, answer, () => [
      io.style.bold(agent.name),
      ...rowsOf(agent).map(([label, value]) => `  ${io.style.dim(label.padEnd(12))}  ${toOneLine(value)}`),
    ])
    return agent.problem === null ? 0 : 1
  },
})

function rowsOf(agent: AgentView): Array<[string, string]> {
  const { mode, model, options = {} } = agent.settings
  const rows: Array<[string, string | null | undefined]> = [
    ['problem', agent.problem],
    ['command', agent.source === 'demo' ? 'the demo agent' : agent.command.join(' ')],
    ['file', agent.file],
    ['permissions', agent.permissions],
    ['mode', mode],
    ['model', model],
    ...Object.entries(options),
    ['MCP servers', agent.mcp_servers.join(', ')],
    ['instructions', agent.has_instructions ? 'yes, before the first prompt' : null],
    ['heartbeat', agent.has_heartbeat ? 'yes' : null],
  ]
  return rows.filter((row): row is [string, string] => Boolean(row[1]))
}
