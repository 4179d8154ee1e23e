// What the plots need of every session's history, kept between two requests: only changed files are read again, and the
// server answers other requests in between.
import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { SessionEvent } from '../../contract/events.ts'
import { type SeriesEvent, toSeriesEvents } from '../../core/status/series.ts'
import type { AoPaths, ProjectPaths } from '../../store/paths.ts'
import { listHistories, scanHistory } from '../../store/session/history.ts'

interface CachedSeries {
  sessionId: string
  stamp: string
  /** How far the file was read. */
  readTo: number
  events: SeriesEvent[]
}

/** With the paths that were requested: another configuration starts anew. */
const memories = new WeakMap<AoPaths, Map<string, CachedSeries>>()

export async function readSeriesEvents(
  paths: AoPaths,
  projectIds: string[],
): Promise<Array<{ sessionId: string; events: SeriesEvent[] }>> {
  const before = memories.get(paths) ?? new Map<string, CachedSeries>()
  const now = new Map<string, CachedSeries>()
  for (const projectId of projectIds) {
    const project = paths.project(projectId)
    for (const sessionId of listHistories(project)) {
      const file = project.historyFile(sessionId)
      const cached = before.get(file)
      const stamp = stampOf(file)
      if (cached?.stamp === stamp) now.set(file, cached)
      else now.set(file, await readOn(project, sessionId, stamp, cached))
    }
  }
  memories.set(paths, now)
  return [...now.values()]
}

const TYPES: ReadonlySet<string> = new Set(['session.reserved', 'status.changed', 'session.archived', 'usage'])

/** Only what is new. A file that has become shorter is a different one. */
async function readOn(
  project: ProjectPaths,
  sessionId: string,
  stamp: string,
  cached?: CachedSeries,
): Promise<CachedSeries> {
  await setImmediate()
  const size = Number(stamp.split(' ')[0])
  const before = cached && cached.readTo <= size ? cached : { readTo: 0, events: [] }
  const fresh: SessionEvent[] = []
  const readTo = scanHistory(project, sessionId, { from: before.readTo, types: TYPES }, (event) => fresh.push(event))
  const added = toSeriesEvents(fresh).filter(
    ({ type }, index) => type !== 'begun' || (index === 0 && before.readTo === 0),
  )
  return { sessionId, stamp, readTo, events: [...before.events, ...added] }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.size} ${stat.mtimeMs}` : ''
}
