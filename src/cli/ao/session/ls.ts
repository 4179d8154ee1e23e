// `ao session ls`. On the fast path: it must load nothing that a list of sessions does not need.

import { isOrchestratorSession } from '../../../core/status/describe-session.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { sortedById, toSessionJson } from '../../print/session-json.ts'
import { sessionColumns } from '../../print/session-table.ts'
import { renderTable } from '../../print/table.ts'
import { noteMovedData } from '../note-moved-data.ts'
import { openAo } from '../open-ao.ts'

export const sessionLsCommand = defineCommand({
  name: 'session ls',
  about: 'List the sessions of all projects, or of one',
  details: 'Orchestrators are listed with --all. Archived sessions are never listed; ao session show finds them.',
  args: {},
  options: {
    project: PROJECT_OPTION,
    all: { short: 'a', about: 'Orchestrators too' },
    quiet: { short: 'q', about: 'Only the ids, one in a line' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao session ls -p app', about: 'One project' },
    { line: 'ao session ls -q', about: 'The ids, for a script' },
  ],
  json: '{ sessions: [Session] }',
  async run({ options }, io) {
    const { manager, config, paths } = await openAo(io)
    const all = sortedById(await manager.list(options.project))
    const sessions = options.all ? all : all.filter((session) => !isOrchestratorSession(session))
    if (options.json) return void io.json({ sessions: sessions.map(toSessionJson) })
    if (options.quiet) return void io.printLines(sessions.map(({ id }) => id))
    if (sessions.length === 0) {
      noteMovedData({ config, paths }, io)
      return void io.note('No sessions. Start one with: ao spawn <issue>')
    }
    const showProject = options.project === undefined && Object.keys(config.projects).length > 1
    const lines = renderTable(sessionColumns(io.style, { showProject }), sessions, {
      width: io.width(),
      paintTitle: io.style.dim,
    })
    io.printLines(lines)
  },
})
