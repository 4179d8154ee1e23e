// The report of `ao status`: printed by the command itself, or by the loop for it.
import { AoError, errorText } from '../../../contract/errors.ts'
import type { Session } from '../../../contract/session.ts'
import { unreachableNotice, unreachablePlaces } from '../../../core/place/unreachable-places.ts'
import { spentOf, sumSpent } from '../../../core/status/spent.ts'
import { forgeNotices } from '../../../lifecycle/loop/forge-notices.ts'
import { recordedConfigs } from '../../../store/moved-data.ts'
import { resolveDataDir } from '../../../store/paths.ts'
import type { Io } from '../../io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { renderStatus } from '../../print/status-report.ts'
import { requireProject } from '../choose-project.ts'
import { noteMovedData } from '../note-moved-data.ts'
import { type Ao, openAo } from '../open-ao.ts'

export interface StatusOptions {
  project?: string | undefined
  json: boolean
}

/** Without a loop, or to stay and follow with `watch`. */
export async function statusHere(
  options: StatusOptions,
  io: Io,
  watch?: (view: StatusView, io: Io) => Promise<number>,
): Promise<number | undefined> {
  const ao = await openHere(io)
  if (ao === null) return reportEverywhere({ json: options.json, watch: watch !== undefined }, io)
  if (options.project !== undefined) requireProject(ao.config, options.project)
  const showProject = options.project === undefined && Object.keys(ao.config.projects).length > 1
  const view = { ao, projectId: options.project, json: options.json, showProject }
  if (watch) return watch(view, io)
  const { text, isEmpty } = await statusText(view, io)
  if (isEmpty && !options.json) noteMovedData(ao, io)
  io.write(text)
  return undefined
}

/** The whole report. */
export async function statusText(
  view: StatusView,
  io: Pick<Io, 'style' | 'width' | 'clock' | 'jsonText'>,
): Promise<{ text: string; isEmpty: boolean }> {
  const report = await readStatus(view)
  const isEmpty = report.sessions.length === 0
  if (view.json) return { text: io.jsonText(toStatusJson(report)), isEmpty }
  const lines = statusLines(view, report, io, Number.POSITIVE_INFINITY)
  return { text: lines.map((line) => `${line}\n`).join(''), isEmpty }
}

/** null: there is no configuration here, but others have sessions. */
async function openHere(io: Io): Promise<Ao | null> {
  try {
    return await openAo(io)
  } catch (error) {
    const isNone = error instanceof AoError && error.code === 'CONFIG_NOT_FOUND' && io.configPath === undefined
    if (!isNone || recordedConfigs(resolveDataDir(io.home, io.env)).length === 0) throw error
    return null
  }
}

/** Outside of any repository: all that this user has, one configuration after the other. */
async function reportEverywhere(options: { json: boolean; watch: boolean }, io: Io): Promise<number> {
  if (options.watch)
    throw new AoError('USAGE', '--watch needs a configuration: run it in a repository, or name one with --config')
  const all: StatusReport = { sessions: [], notices: [] }
  for (const configPath of recordedConfigs(resolveDataDir(io.home, io.env))) {
    try {
      const ao = await openAo({ ...io, configPath })
      const view = {
        ao,
        projectId: undefined,
        json: options.json,
        showProject: Object.keys(ao.config.projects).length > 1,
      }
      const report = await readStatus(view)
      all.sessions.push(...report.sessions)
      all.notices.push(...report.notices)
      if (options.json || report.sessions.length === 0) continue
      io.print(io.style.dim(configPath))
      io.printLines(statusLines(view, report, io, Number.POSITIVE_INFINITY))
    } catch (error) {
      // One that is broken must not hide the others.
      all.notices.push(`${configPath}: ${errorText(error)}`)
      if (!options.json) io.print(`${io.style.yellow('!')} ${toOneLine(`${configPath}: ${errorText(error)}`)}`)
    }
  }
  if (options.json) io.json(toStatusJson(all))
  else if (all.sessions.length === 0) io.print('No sessions in any repository.')
  return 0
}

export interface StatusView {
  ao: Pick<Ao, 'manager' | 'config' | 'paths' | 'log'>
  projectId: string | undefined
  json: boolean
  showProject: boolean
}

export interface StatusReport {
  sessions: Session[]
  /** What prevents pull requests from being tracked, and places that cannot be reached. */
  notices: string[]
}

export async function readStatus({ ao, projectId }: StatusView): Promise<StatusReport> {
  const [sessions, notices] = await Promise.all([ao.manager.list(projectId), forgeNotices(ao, projectId)])
  return { sessions, notices: [...unreachablePlaces(sessions).map(unreachableNotice), ...notices] }
}

export function toStatusJson({ sessions, notices }: StatusReport) {
  return { sessions: sessions.map(toSessionJson), spent: sumSpent(sessions.map(spentOf)), notices }
}

export function statusLines(
  view: StatusView,
  report: StatusReport,
  io: Pick<Io, 'style' | 'width' | 'clock'>,
  height: number,
): string[] {
  const { showProject } = view
  const notices = report.notices.map((text) => `${io.style.yellow('!')} ${toOneLine(text)}`)
  const size = { width: io.width(), height: height - notices.length }
  return [...renderStatus(report.sessions, { style: io.style, now: io.clock.now(), showProject, ...size }), ...notices]
}
