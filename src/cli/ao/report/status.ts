// `ao status`: the fleet at a glance, those that need someone first; with --watch it stays and follows. On the fast path: a
// running loop prints it, and then nothing else is loaded.

import { openConfig } from '../../../config/load-config-cached.ts'
import { AoError } from '../../../contract/errors.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { printFromLoop } from '../lists/ask-loop.ts'

export const statusCommand = defineCommand({
  name: 'status',
  inside: ORCHESTRATOR,
  about: 'Show all sessions, those that need you first',
  details:
    'Outside of any repository it shows the sessions of all of them. With --watch and --json it prints one line of JSON after each change.',
  options: {
    project: PROJECT_OPTION,
    watch: { short: 'w', about: 'Keep showing changes' },
    line: { about: 'How many need you and are ready to merge, for a prompt or a bar' },
    json: JSON_OPTION,
  },
  examples: [{ line: 'ao status --line', about: '2 need you · 1 ready, or nothing; in tmux: #(ao status --line)' }],
  json: '{ sessions: [Session], spent: { tokens, costUsd }, notices: [text] }; with --watch one such line per change, with its time as at; with --line { text, class: needs_you, ready or idle, needsYou, ready }',
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
    const { project, json, line } = options
    if (line && options.watch) throw new AoError('USAGE', '--line and --watch exclude each other')
    // Without a configuration it reports on all that are known.
    const config = options.watch ? null : await openConfig(io).catch(() => null)
    if (config && (await printFromLoop({ command: 'status', options: { project, json, line } }, { config, io }))) return
    const { statusHere } = await import('../lists/status-list.ts')
    return statusHere(options, io, options.watch ? (await import('./watch-status.ts')).watchStatus : undefined)
  },
})
