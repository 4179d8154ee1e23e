// `agh agent list`: list the agents that sessions can use.
import type { AgentView } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { type Column, renderTable } from '../print/table.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const agentListCommand = defineCommand({
  program: 'agh',
  name: 'agent list',
  about: 'List the agents that sessions can use',
  args: {},
  options: OUTPUT_OPTIONS,
  async run({ options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ agents: AgentView[] }>('/api/agents')
    if (format === 'jsonl') return void io.printLines(answer.agents.map((agent) => JSON.stringify(agent)))
    printOne(io, format, answer, () => renderTable(COLUMNS, answer.agents, { width: io.width() }))
  },
})

const COLUMNS: Column<AgentView>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'READY', text: ({ problem }) => (problem === null ? 'yes' : 'no') },
  {
    title: 'COMMAND',
    text: ({ source, command }) => (source === 'demo' ? 'the demo agent' : command.join(' ')),
    min: 12,
  },
  { title: 'PERMISSIONS', text: ({ permissions }) => permissions ?? '', drop: 1 },
  { title: 'PROBLEM', text: ({ problem }) => problem ?? '', min: 8 },
]
