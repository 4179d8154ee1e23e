// The list of `ao session ls`: printed by the command itself, or by the loop for it.
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { isOrchestratorSession } from '../../../core/status/describe-session.ts'
import type { SessionManager } from '../../../manager/session-manager.ts'
import type { Io } from '../../print/io.ts'
import { sortedById, toSessionJson } from '../../print/session-json.ts'
import { sessionColumns } from '../../print/session-table.ts'
import { renderTable } from '../../print/table.ts'
import { noteMovedData } from '../note-moved-data.ts'
import { openAo } from '../open-ao.ts'

export interface SessionListOptions {
  project?: string | undefined
  all: boolean
  quiet: boolean
  json: boolean
}

/** null: there are none, and nobody asked for JSON. */
export async function sessionListText(
  { manager, config }: { manager: SessionManager; config: OrchestratorConfig },
  options: SessionListOptions,
  io: Pick<Io, 'style' | 'width' | 'clock' | 'jsonText'>,
): Promise<string | null> {
  const all = sortedById(await manager.list(options.project))
  const sessions = options.all ? all : all.filter((session) => !isOrchestratorSession(session))
  if (options.json) return io.jsonText({ sessions: sessions.map(toSessionJson) })
  if (options.quiet) return sessions.map(({ id }) => `${id}\n`).join('')
  if (sessions.length === 0) return null
  const showProject = options.project === undefined && Object.keys(config.projects).length > 1
  const lines = renderTable(sessionColumns(io.style, { showProject, now: io.clock.now() }), sessions, {
    width: io.width(),
    paintTitle: io.style.dim,
  })
  return lines.map((line) => `${line}\n`).join('')
}

/** Without a loop. */
export async function listHere(
  options: SessionListOptions,
  { config, io }: { config: OrchestratorConfig; io: Io },
): Promise<void> {
  const ao = await openAo(io, config)
  const text = await sessionListText(ao, options, io)
  if (text !== null) return void io.write(text)
  noteMovedData(ao, io)
  io.note('No sessions. Start one with: ao spawn <issue>')
}
