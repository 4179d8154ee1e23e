// Commands for agents.
import type { AgentView } from '../../contract/agh/answers.ts'
import { EVERYONE } from '../../core/boundary/rights.ts'
import { toOneLine } from '../print/plain-text.ts'
import type { Column } from '../print/table.ts'
import { aghCommand } from './agh-command.ts'

const commandOf = ({ source, command }: AgentView) => (source === 'demo' ? 'the demo agent' : command.join(' '))

const COLUMNS: Column<AgentView>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'READY', text: ({ problem }) => (problem === null ? 'yes' : 'no') },
  { title: 'COMMAND', text: commandOf, min: 12 },
  { title: 'PERMISSIONS', text: ({ permissions }) => permissions ?? '', drop: 1 },
  { title: 'PROBLEM', text: ({ problem }) => problem ?? '', min: 8 },
]

export const agentListCommand = aghCommand({
  name: 'agent list',
  inside: EVERYONE,
  about: 'List the agents that sessions can use',
  async run({ agh, showTable }) {
    const answer = await agh.call('GET /api/agents')
    showTable({ whole: answer, rows: answer.agents, columns: COLUMNS })
  },
})

export const agentInfoCommand = aghCommand({
  name: 'agent info',
  inside: EVERYONE,
  about: 'Show one agent: its command, and what its sessions begin with',
  details: 'The exit code is 1 when no session of it can start.',
  args: { agent: { about: 'Its name', required: true, completes: 'agent' } },
  async run({ args, io, agh, show }) {
    const answer = await agh.call('GET /api/agents/:name', { params: { name: args.agent } })
    const { agent } = answer
    show(answer, () => [
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
    ['command', commandOf(agent)],
    ['file', agent.file],
    ['permissions', agent.permissions],
    ['mode', mode],
    ['model', model],
    ...Object.entries(options),
    ['MCP servers', agent.mcp_servers.join(', ')],
    ['instructions', agent.has_instructions ? 'yes, before the first prompt' : null],
    ['heartbeat', agent.has_heartbeat ? (agent.heartbeat_problem ?? 'yes') : null],
  ]
  return rows.filter((row): row is [string, string] => Boolean(row[1]))
}
