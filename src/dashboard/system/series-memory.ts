// What the plots need of every session's history, kept between two questions: only files that have changed are read
// again, and the server answers others in between.
import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type SeriesEvent, toSeriesEvents } from '../../core/status/series.ts'
import type { AoPaths, ProjectPaths } from '../../store/paths.ts'
import { listHistories, readHistory } from '../../store/session/history.ts'

interface Known {
  stamp: string
  events: SeriesEvent[]
}

/** With the paths that were asked: another configuration begins anew. */
const memories = new WeakMap<AoPaths, Map<string, Known>>()

export async function readSeriesEvents(paths: AoPaths, projectIds: string[]): Promise<SeriesEvent[][]> {
  const before = memories.get(paths) ?? new Map<string, Known>()
  const now = new Map<string, Known>()
  for (const projectId of projectIds) {
    const project = paths.project(projectId)
    for (const sessionId of listHistories(project)) {
      const file = project.historyFile(sessionId)
      const known = before.get(file)
      const stamp = stampOf(file)
      if (known?.stamp === stamp) now.set(file, known)
      else now.set(file, { stamp, events: await readOne(project, sessionId) })
    }
  }
  memories.set(paths, now)
  return [...now.values()].map(({ events }) => events)
}

async function readOne(project: ProjectPaths, sessionId: string): Promise<SeriesEvent[]> {
  await setImmediate()
  return toSeriesEvents(readHistory(project, sessionId).events)
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.size} ${stat.mtimeMs}` : ''
}
