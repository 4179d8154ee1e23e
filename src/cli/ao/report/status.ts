// `ao status`: the fleet at a glance, those that need someone first; with --watch it stays and follows.
import type { Session } from '../../../contract/session.ts'
import { forgeNotices } from '../../../lifecycle/loop/forge-notices.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { toOneLine } from '../../print/plain-text.ts'
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
  json: '{ sessions: [Session], notices: [text] }; with --watch one such line per change, with its time as at',
  async run({ options }, io) {
    const ao = await openAo(io)
    if (options.project !== undefined) requireProject(ao.config, options.project)
    const showProject = options.project === undefined && Object.keys(ao.config.projects).length > 1
    const view = { ao, projectId: options.project, json: options.json, showProject }
    if (options.watch) {
      const { watchStatus } = await import('./watch-status.ts')
      return watchStatus(view, io)
    }
    const report = await readStatus(view)
    if (options.json) return void io.json(toStatusJson(report))
    if (report.sessions.length === 0) noteMovedData(ao, io)
    io.printLines(statusLines(view, report, io, Number.POSITIVE_INFINITY))
  },
})

export interface StatusView {
  ao: Ao
  projectId: string | undefined
  json: boolean
  showProject: boolean
}

export interface StatusReport {
  sessions: Session[]
  /** What keeps pull requests from being followed. */
  notices: string[]
}

export async function readStatus({ ao, projectId }: StatusView): Promise<StatusReport> {
  const [sessions, notices] = await Promise.all([ao.manager.list(projectId), forgeNotices(ao, projectId)])
  return { sessions, notices }
}

export function toStatusJson({ sessions, notices }: StatusReport): { sessions: unknown[]; notices: string[] } {
  return { sessions: sessions.map(toSessionJson), notices }
}

export function statusLines(view: StatusView, report: StatusReport, io: Io, height: number): string[] {
  const { showProject } = view
  const notices = report.notices.map((text) => `${io.style.yellow('!')} ${toOneLine(text)}`)
  const size = { width: io.width(), height: height - notices.length }
  return [...renderStatus(report.sessions, { style: io.style, now: io.clock.now(), showProject, ...size }), ...notices]
}
