// Where the next worker of a project runs: a place that was asked for, the first of the project's that has room, or here.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { choosePlace, noRoom, type PlaceRoom, takesRoom } from '../../core/place/choose-place.ts'
import { requireNamed } from '../../core/text/nearest-word.ts'
import { withLock } from '../../lib/lock.ts'
import { type ManagerContext, projectIds } from '../context.ts'

/** undefined: on this machine, with the project's runtime. */
export function placeForSpawn(
  context: ManagerContext,
  project: ProjectConfig,
  wanted: string | undefined,
): string | undefined {
  if (wanted !== undefined) return roomFor(context, wanted)
  const named = typeof project.place === 'string' ? [project.place] : (project.place ?? [])
  if (named.length === 0) return undefined
  const { place, why } = choosePlace(named.map((name) => roomIn(context, name)))
  if (place !== null) return place
  throw full(`No place of ${project.id} has room: ${why}`)
}

/** The place itself, if it takes one more session. */
export function roomFor(context: ManagerContext, place: string): string {
  const why = noRoom(roomIn(context, place))
  if (why === null) return place
  throw full(`The place ${place} takes no session now: ${why}`)
}

export function roomIn(context: ManagerContext, name: string): PlaceRoom {
  const { maxSessions } = requirePlace(context, name)
  return { name, maxSessions, sessions: sessionsIn(context, name).length, draining: isDraining(context, name) }
}

export function requirePlace({ config }: ManagerContext, name: string) {
  const details = { place: name, configPath: config.configPath }
  return requireNamed(config.places ?? {}, { kind: 'place', name, code: 'PLACE_NOT_FOUND', details })
}

/** Its place was taken out of the configuration, or renamed there. */
export function isInFormerPlace({ config }: ManagerContext, { place }: Pick<SessionRecord, 'place'>): boolean {
  return place !== undefined && !Object.hasOwn(config.places ?? {}, place)
}

/** By their records: those that are there, or on their way there or back. */
export function sessionsIn(context: ManagerContext, place: string): string[] {
  return projectIds(context).flatMap((projectId) => {
    const store = context.store(projectId)
    return store.list().filter((id) => {
      const record = store.read(id)?.record
      return record !== undefined && takesRoom(record, place)
    })
  })
}

/**
 * Runs `claim`, which records that the session goes there, while nobody else claims room in that place: two commands at the
 * same moment cannot both have the last. Throws PLACE_FULL without it. A session that is there already needs no room.
 */
export async function withRoom<T>(
  context: ManagerContext,
  { place, session }: { place: string | null; session: string },
  claim: () => Promise<T>,
): Promise<T> {
  if (place === null || !Object.hasOwn(context.config.places ?? {}, place)) return claim()
  const directory = join(context.paths.dataDir, 'place-locks')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return withLock(join(directory, `${place}.lock`), () => {
    if (!sessionsIn(context, place).includes(session)) roomFor(context, place)
    return claim()
  })
}

export function drainFile({ paths }: ManagerContext, place: string): string {
  return join(paths.dataDir, 'drained-places', place)
}

function isDraining(context: ManagerContext, place: string): boolean {
  return existsSync(drainFile(context, place))
}

function full(message: string): AoError {
  return new AoError('PLACE_FULL', message)
}
