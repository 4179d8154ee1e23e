// The list of `ao session ls`: printed by the command itself, or by the loop for it.
import type { OrchestratorConfig } from '../../../contract/config.ts'
import type { Pin } from '../../../contract/dashboard/search.ts'
import type { Session } from '../../../contract/session.ts'
import { isOrchestratorSession } from '../../../core/status/describe-session.ts'
import type { SessionManager } from '../../../manager/session-manager.ts'
import { readSaved } from '../../../store/saved.ts'
import type { Io } from '../../print/io.ts'
import { sortedById, toSessionJson } from '../../print/session-json.ts'
import { sessionColumns } from '../../print/session-table.ts'
import { type Column, renderTable } from '../../print/table.ts'
import { noteMovedData } from '../note-moved-data.ts'
import { openAo } from '../open-ao.ts'

export interface SessionListOptions {
  project?: string | undefined
  all: boolean
  quiet: boolean
  json: boolean
  folder?: string | undefined
}

/** null: there are none, and nobody asked for JSON. */
export async function sessionListText(
  { manager, config, pins }: { manager: SessionManager; config: OrchestratorConfig; pins: readonly Pin[] },
  options: SessionListOptions,
  io: Pick<Io, 'style' | 'width' | 'clock' | 'jsonText'>,
): Promise<string | null> {
  const all = sortedById(await manager.list(options.project))
  const listed = options.all ? all : all.filter((session) => !isOrchestratorSession(session))
  const { sessions, pinOf } = pinnedFirst(listed, pins, options.folder)
  if (options.json) return io.jsonText({ sessions: sessions.map((one) => ({ ...toSessionJson(one), ...pinOf(one) })) })
  if (options.quiet) return sessions.map(({ id }) => `${id}\n`).join('')
  if (sessions.length === 0) return null
  const showProject = options.project === undefined && Object.keys(config.projects).length > 1
  const columns = sessionColumns(io.style, { showProject, now: io.clock.now() })
  const isPinned = sessions.some((one) => pinOf(one) !== null)
  const shown = isPinned ? [columns[0]!, pinColumn(pinOf), ...columns.slice(1)] : columns
  const lines = renderTable(shown, sessions, {
    width: io.width(),
    paintTitle: io.style.dim,
  })
  return lines.map((line) => `${line}\n`).join('')
}

interface PinMark {
  pinned: true
  folder: string | null
}

/** In the order in which they were pinned; of a folder, only those that are in it. */
function pinnedFirst(sessions: Session[], pins: readonly Pin[], folder: string | undefined) {
  const marks = new Map(pins.map((one): [string, PinMark] => [one.session, { pinned: true, folder: one.folder }]))
  const order = [...marks.keys()]
  const pinned = sessions
    .filter(({ id }) => (folder === undefined ? marks.has(id) : marks.get(id)?.folder === folder))
    .sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
  const others = folder === undefined ? sessions.filter(({ id }) => !marks.has(id)) : []
  return { sessions: [...pinned, ...others], pinOf: ({ id }: Session) => marks.get(id) ?? null }
}

function pinColumn(pinOf: (session: Session) => PinMark | null): Column<Session> {
  const text = (session: Session) => {
    const mark = pinOf(session)
    return mark === null ? '' : (mark.folder ?? 'yes')
  }
  return { title: 'PINNED', text, min: 6, drop: 5 }
}

/** Without a loop. */
export async function listHere(
  options: SessionListOptions,
  { config, io }: { config: OrchestratorConfig; io: Io },
): Promise<void> {
  const ao = await openAo(io, config)
  const { pins, problem } = readSaved(ao.paths)
  if (problem !== null) io.note(problem)
  const text = await sessionListText({ ...ao, pins }, options, io)
  if (text !== null) return void io.write(text)
  noteMovedData(ao, io)
  if (options.folder !== undefined) return io.note(`No session is pinned in ${options.folder}`)
  io.note('No sessions. Start one with: ao spawn <issue>')
}
