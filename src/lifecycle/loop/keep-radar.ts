// The radar beside the rounds: what it sees is marked on the sessions' records, and sessions whose collisions changed are
// observed at once. Nothing is started while no head has moved and nobody has worked.
import type { ProjectConfig } from '../../contract/config.ts'
import type { RadarPicture } from '../../contract/dashboard/radar.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { type Collision, collisionsOf } from '../../core/radar/collisions.ts'
import { meetingMarks } from '../../core/radar/meeting-marks.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { storedSessions } from '../../manager/active.ts'
import { rememberWork } from '../../manager/observe/ongoing-work.ts'
import { observeRadar } from '../../manager/observe/radar.ts'
import type { LoopContext } from './loop-context.ts'

const BUDGET_MS = 3_000

/** Returns the sessions whose marks changed. */
export async function keepRadar(loop: LoopContext, project: ProjectConfig): Promise<string[]> {
  const sessions = storedSessions(loop.context, project.id)
  const isAnyLive = sessions.some(({ status }) => !isTerminalSession({ status, activity: null }))
  if (!isAnyLive && !loop.radar.has(project.id)) return []
  const picture = await observeRadar(loop.context, project.id, sessions, BUDGET_MS)
  const collisions = findCollisions(picture, sessions)
  const before = loop.radar.get(project.id)
  loop.radar.set(project.id, { picture, collisions })
  if (before?.picture === picture) return []
  noteLimits(loop, project, picture)
  rememberWork(loop.context, project.id, picture, sessions)
  const marks = meetingMarks(picture)
  const changed = [...collisions.keys()].filter((id) => !isSame(before?.collisions.get(id), collisions.get(id)))
  for (const session of sessions) {
    const record = recordOf(session)
    // Of a pull request it counts that there is nothing: a risk that nobody observed is another one.
    const isSeen =
      record.prState === 'open' && picture.pending === 0 && picture.branches.some(({ id }) => id === session.id)
    const wanted = marks.get(session.id) ?? (isSeen ? [] : null)
    // The record belongs to the command that works on it; the next picture marks it.
    if (isSame(record.meets, wanted) || record.operation !== undefined) continue
    await ignoreFailure('it ended meanwhile, and its mark with it', loop.context.log, async () => {
      await loop.context.store(project.id).update(session.id, { meets: wanted })
      changed.push(session.id)
    })
  }
  return changed
}

function isSame(before: unknown, now: unknown): boolean {
  return JSON.stringify(before ?? null) === JSON.stringify(now ?? null)
}

function findCollisions(picture: RadarPicture, sessions: readonly Session[]): Map<string, Collision[]> {
  const alive = sessions.filter(({ status }) => !isTerminalSession({ status, activity: null }))
  const progress = new Map(alive.map(({ id, status, createdAt }) => [id, { status, createdAt: createdAt.getTime() }]))
  return new Map(
    alive.flatMap(({ id }): Array<[string, Collision[]]> => {
      const found = collisionsOf(picture, id, progress)
      return found.length === 0 ? [] : [[id, found]]
    }),
  )
}

/** Reported once: health is recorded only when it changes. */
function noteLimits(loop: LoopContext, project: ProjectConfig, { note }: RadarPicture): void {
  loop.health(`limits of the radar of ${project.id}`, note === null ? 'ok' : 'warn', note ?? undefined)
}
