// The report of `ao status`: printed by the command itself, or by the loop for it.
import { AoError, errorText } from '../../../contract/errors.ts'
import type { Session } from '../../../contract/session.ts'
import { countsLine } from '../../../core/board/board-rows.ts'
import { unreachableNotice, unreachablePlaces } from '../../../core/place/unreachable-places.ts'
import { describePause } from '../../../core/status/describe-pause.ts'
import { spentOf, sumSpent } from '../../../core/status/spent.ts'
import { resolveDataDir } from '../../../lib/process/own-home.ts'
import { forgeNotices } from '../../../lifecycle/loop/forge-notices.ts'
import { readPause } from '../../../store/fleet-pause.ts'
import { recordedConfigs } from '../../../store/moved-data.ts'
import { attentionGroup } from '../../print/attention.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { renderStatus } from '../../print/status-report.ts'
import { requireProject } from '../choose-project.ts'
import { noteMovedData } from '../note-moved-data.ts'
import { type Ao, openAo } from '../open-ao.ts'

export interface StatusOptions {
  project?: string | undefined
  json: boolean
  /** Only the counts, for a prompt or a bar. */
  line: boolean
}

/** Without a loop, or to stay and follow with `watch`. */
export async function statusHere(
  options: StatusOptions,
  io: Io,
  watch?: (view: StatusView, io: Io) => Promise<number>,
): Promise<number | undefined> {
  const ao = await openHere(io)
  if (ao === null) return reportEverywhere({ ...options, watch: watch !== undefined }, io)
  if (options.project !== undefined) requireProject(ao.config, options.project)
  const showProject = options.project === undefined && Object.keys(ao.config.projects).length > 1
  const { project: projectId, json, line } = options
  const view = { ao, projectId, json, line, showProject }
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
  if (view.line) return { text: countsText(report.sessions, view.json, io), isEmpty: false }
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
async function reportEverywhere(options: StatusOptions & { watch: boolean }, io: Io): Promise<number> {
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
        line: options.line,
        showProject: Object.keys(ao.config.projects).length > 1,
      }
      const report = await readStatus(view)
      all.sessions.push(...report.sessions)
      all.notices.push(...report.notices)
      if (options.json || options.line || report.sessions.length === 0) continue
      io.print(io.style.dim(configPath))
      io.printLines(statusLines(view, report, io, Number.POSITIVE_INFINITY))
    } catch (error) {
      // One that is broken must not hide the others.
      all.notices.push(`${configPath}: ${errorText(error)}`)
      if (!options.json && !options.line)
        io.print(`${io.style.yellow('!')} ${toOneLine(`${configPath}: ${errorText(error)}`)}`)
    }
  }
  if (options.line) io.write(countsText(all.sessions, options.json, io))
  else if (options.json) io.json(toStatusJson(all))
  else if (all.sessions.length === 0) io.print('No sessions in any repository.')
  return 0
}

export interface StatusView {
  ao: Pick<Ao, 'manager' | 'config' | 'paths' | 'log'>
  projectId: string | undefined
  json: boolean
  line?: boolean | undefined
  showProject: boolean
}

export interface StatusReport {
  sessions: Session[]
  /** What prevents pull requests from being tracked, and places that cannot be reached. */
  notices: string[]
}

export async function readStatus({ ao, projectId }: StatusView): Promise<StatusReport> {
  const [sessions, notices] = await Promise.all([ao.manager.list(projectId), forgeNotices(ao, projectId)])
  const left = sessions.flatMap(({ id, agentInfo }) => (agentInfo?.workLeft ? [`${id}: ${agentInfo.workLeft}`] : []))
  const pause = readPause(ao.paths)
  const paused = pause ? [`${describePause(pause)}. Let everything go on with: ao resume`] : []
  return { sessions, notices: [...paused, ...unreachablePlaces(sessions).map(unreachableNotice), ...left, ...notices] }
}

/** Nothing where nobody has to do anything, so that a bar stays empty. */
function countsText(sessions: readonly Session[], json: boolean, io: Pick<Io, 'clock' | 'jsonText'>): string {
  const groups = sessions.map((session) => attentionGroup(session, io.clock.now()))
  const needs = groups.filter((group) => group === 'Needs you').length
  const ready = groups.filter((group) => group === 'Ready to merge').length
  const text = countsLine({ needs, ready })
  if (!json) return text === '' ? '' : `${text}\n`
  return io.jsonText({ text, class: needs > 0 ? 'needs_you' : ready > 0 ? 'ready' : 'idle', needsYou: needs, ready })
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
