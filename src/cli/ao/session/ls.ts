// `ao session ls`. On the fast path: a running loop prints the list, and then nothing else is loaded.

import { openConfig } from '../../../config/load-config-cached.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { printFromLoop } from '../lists/ask-loop.ts'

export const sessionLsCommand = defineCommand({
  name: 'session ls',
  inside: ORCHESTRATOR,
  about: 'List the sessions of all projects, or of one',
  details: 'Archived sessions are not listed; ao session show finds them.',
  options: {
    project: PROJECT_OPTION,
    all: { short: 'a', about: 'Orchestrators too' },
    folder: { value: 'name', about: 'Only those that are pinned in this folder' },
    quiet: { short: 'q', about: 'Print only ids, one per line' },
    json: JSON_OPTION,
  },
  examples: [{ line: 'ao session ls -q', about: 'The ids, for a script' }],
  json: '{ sessions: [Session & { pinned?: true, folder? }] }',
  async run({ options }, io) {
    const { project, all, quiet, json, folder } = options
    const requested = { project, all, quiet, json, folder }
    const config = await openConfig(io)
    if (await printFromLoop({ command: 'session ls', options: requested }, { config, io })) return
    await (await import('../lists/session-list.ts')).listHere(requested, { config, io })
  },
})
