// `ao status`: the fleet at a glance, those that need someone first; with --watch it stays and follows. On the fast path: a
// running loop prints it, and then nothing else is loaded.

import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { printFromLoop } from '../lists/ask-loop.ts'
import { openConfig } from '../open-config.ts'

export const statusCommand = defineCommand({
  name: 'status',
  inside: ORCHESTRATOR,
  about: 'Show all sessions, those that need you first',
  details:
    'Outside of any repository it shows the sessions of all of them. Age is the time since the last sign of activity. Orchestrators are shown too.\nWith --watch the screen follows until Ctrl-C; without a terminal the report is printed anew after each change,\nand with --json one line of JSON.',
  args: {},
  options: {
    project: PROJECT_OPTION,
    watch: { short: 'w', about: 'Keep showing changes' },
    json: JSON_OPTION,
  },
  json: '{ sessions: [Session], spent: { tokens, costUsd }, notices: [text] }; with --watch one such line per change, with its time as at',
  tool: {
    name: 'list_sessions',
    title: 'List sessions',
    description:
      'All sessions with status, activity, branch, pull request and cost. Those that need a person come first.',
    hints: READS,
    input: { project: {} },
    output: { sessions: 'list' },
  },
  async run({ options }, io) {
    const { project, json } = options
    // Without a configuration it reports on all that are known.
    const config = options.watch ? null : await openConfig(io).catch(() => null)
    if (config && (await printFromLoop({ command: 'status', options: { project, json } }, { config, io }))) return
    const { statusHere } = await import('../lists/status-list.ts')
    return statusHere(options, io, options.watch ? (await import('./watch-status.ts')).watchStatus : undefined)
  },
})
