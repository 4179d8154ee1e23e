// The radar beside the rounds: what it sees is marked on the sessions' records, and sessions whose collisions changed are
// observed at once. Nothing is started while no head has moved and nobody has worked.
import type { ProjectConfig } from '../../contract/config.ts'
import type { RadarPicture } from '../../contract/landing/radar.ts'
import { type MeetingMark, recordOf } from '../../contract/record.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { meetingMarks } from '../../core/radar/meeting-marks.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { storedSessions } from '../../manager/observe/enrich.ts'
import { observeRadar } from '../../manager/observe/radar.ts'
import type { LoopContext } from './loop-context.ts'

const BUDGET_MS = 3_000

/** Returns the sessions whose marks changed. */
export async function keepRadar(loop: LoopContext, project: ProjectConfig): Promise<string[]> {
  const sessions = storedSessions(loop.manager, project.id)
  const isAnyLive = sessions.some(({ status }) => !isTerminalSession({ status, activity: null }))
  if (!isAnyLive && !loop.radar.has(project.id)) return []
  const picture = await observeRadar(loop.manager, project.id, sessions, BUDGET_MS)
  if (loop.radar.get(project.id) === picture) return []
  loop.radar.set(project.id, picture)
  noteLimits(loop, project, picture)
  const marks = meetingMarks(picture)
  const changed: string[] = []
  for (const session of sessions) {
    const wanted = marks.get(session.id) ?? null
    const record = recordOf(session)
    // The record belongs to the command that works on it; the next picture marks it.
    if (isSame(record.meets, wanted) || record.operation !== undefined) continue
    await ignoreFailure('it ended meanwhile, and its mark with it', loop.manager.log, async () => {
      await loop.manager.store(project.id).update(session.id, { meets: wanted })
      changed.push(session.id)
    })
  }
  return changed
}

function isSame(before: MeetingMark[] | undefined, now: MeetingMark[] | null): boolean {
  return JSON.stringify(before ?? null) === JSON.stringify(now)
}

/** Reported once: health is recorded only when it changes. */
function noteLimits(loop: LoopContext, project: ProjectConfig, { note }: RadarPicture): void {
  loop.health(`limits of the radar of ${project.id}`, note === null ? 'ok' : 'warn', note ?? undefined)
}
