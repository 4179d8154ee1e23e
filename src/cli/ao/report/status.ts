// `ao status`: the fleet at a glance, those that need someone first; with --watch it stays and follows.
import type { Session } from '../../../contract/session.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { renderStatus } from '../../print/status-report.ts'
import { requireProject } from '../choose-project.ts'
import { noteMovedData } from '../note-moved-data.ts'
import { type Ao, openAo } from '../open-ao.ts'

export const statusCommand = defineCommand({
  name: 'status',
  about: 'Show all sessions, those that need you first',
  details:
    'Age is the time since the last sign of activity. Orchestrators are shown too.\nWith --watch the screen follows until Ctrl-C; without a terminal the report is printed anew after each change,\nand with --json one line of JSON.',
  args: {},
  options: {
    project: PROJECT_OPTION,
    watch: { short: 'w', about: 'Stay and show changes as they come' },
    json: JSON_OPTION,
  },
  json: '{ sessions: [Session] }; with --watch one such line per change, with its time as at',
  async run({ options }, io) {
    const ao = await openAo(io)
    if (options.project !== undefined) requireProject(ao.config, options.project)
    const showProject = options.project === undefined && Object.keys(ao.config.projects).length > 1
    const view = { ao, projectId: options.project, json: options.json, showProject }
    if (options.watch) {
      const { watchStatus } = await import('./watch-status.ts')
      return watchStatus(view, io)
    }
    const sessions = await ao.manager.list(options.project)
    if (options.json) return void io.json({ sessions: sessions.map(toSessionJson) })
    if (sessions.length === 0) noteMovedData(ao, io)
    io.printLines(statusLines(view, sessions, io, Number.POSITIVE_INFINITY))
  },
})

export interface StatusView {
  ao: Ao
  projectId: string | undefined
  json: boolean
  showProject: boolean
}

export function statusLines(view: StatusView, sessions: Session[], io: Io, height: number): string[] {
  const { showProject } = view
  return renderStatus(sessions, { style: io.style, width: io.width(), now: io.clock.now(), showProject, height })
}
