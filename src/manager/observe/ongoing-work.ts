// What sessions have changed, as the radar last saw it: a small file per project, read when a task is about to start.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RadarPicture } from '../../contract/dashboard/radar.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { describeInHands, filesInHands, type OngoingWork, type Task } from '../../core/radar/files-in-hands.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { storedSessions } from '../active.ts'
import type { ManagerContext } from '../context.ts'

/** Ended sessions stay, because their labels say where such work happens. */
const MOST_KEPT = 300

/** What the user should know before somebody starts on the task. Reads two files; starts nothing. */
export function warnAboutOverlap(context: ManagerContext, projectId: string, task: Task): string[] {
  const ongoing = readOngoingWork(context, projectId)
  if (ongoing.length === 0) return []
  const live = new Set(
    storedSessions(context, projectId)
      .filter(({ status }) => !isTerminalSession({ status, activity: null }))
      .map(({ id }) => id),
  )
  return describeInHands(filesInHands(task, ongoing, (id) => live.has(id)))
}

export function rememberWork(
  context: ManagerContext,
  projectId: string,
  { branches }: Pick<RadarPicture, 'branches'>,
  sessions: readonly Session[],
): void {
  const labels = new Map(sessions.map((session) => [session.id, recordOf(session).issueLabels ?? []]))
  const seen = branches.flatMap(({ sessionId, paths }): OngoingWork[] =>
    sessionId === null || paths.length === 0 ? [] : [{ id: sessionId, labels: labels.get(sessionId) ?? [], paths }],
  )
  const before = readOngoingWork(context, projectId)
  const ids = new Set(seen.map(({ id }) => id))
  const after = [...before.filter(({ id }) => !ids.has(id)), ...seen].slice(-MOST_KEPT)
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const file = fileOf(context, projectId)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, JSON.stringify(after), { durable: false })
}

function readOngoingWork(context: ManagerContext, projectId: string): OngoingWork[] {
  try {
    const read: unknown = JSON.parse(readIfThere(fileOf(context, projectId)) ?? '[]')
    return Array.isArray(read) ? read.filter(isWork) : []
  } catch {
    // A hint for people: a damaged file is replaced by the next picture.
    return []
  }
}

function isWork(value: OngoingWork): boolean {
  const areTexts = (list: unknown) => Array.isArray(list) && list.every((one) => typeof one === 'string')
  return typeof value?.id === 'string' && areTexts(value.labels) && areTexts(value.paths)
}

function fileOf(context: ManagerContext, projectId: string): string {
  return join(context.paths.project(projectId).dir, 'radar', 'work.json')
}
