// The places of the configuration: what is there, whether they work, and whether they take new sessions.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { noRoom, takesRoom } from '../../core/place/choose-place.ts'
import { unreachablePlaces } from '../../core/place/unreachable-places.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { removeFile } from '../../lib/remove.ts'
import { type ManagerContext, projectIds, requireLaunchConsent } from '../context.ts'
import { listOnly } from '../observe/enrich.ts'
import type { PlaceInfo } from '../types.ts'
import { drainFile, isInFormerPlace, requirePlace, roomIn, sessionsIn } from './choose-place.ts'

export async function listPlaces(context: ManagerContext): Promise<PlaceInfo[]> {
  const places = Object.entries(context.config.places ?? {}).map(([name, { type }]) => {
    const room = roomIn(context, name)
    const { maxSessions = null, draining } = room
    return { name, type, sessions: sessionsIn(context, name), maxSessions, draining, full: noRoom(room) }
  })
  const former = Object.entries(formerPlaces(context)).map(([name, sessions]) => {
    const full = 'it is no longer in the configuration'
    return { name, type: 'removed', sessions, maxSessions: null, draining: false, full }
  })
  const all = [...places, ...former]
  const shown = await listOnly(
    context,
    all.flatMap(({ sessions }) => sessions),
  )
  const lost = new Map(unreachablePlaces(shown).map(({ place, since, why }) => [place, { since, why }]))
  return all.map((place) => ({ ...place, unreachable: lost.get(place.name) ?? null }))
}

/** One line about it. Throws what is wrong. */
export async function testPlace(context: ManagerContext, name: string): Promise<string> {
  requirePlace(context, name)
  // It starts programs of the user's with words of the file.
  for (const project of Object.values(context.config.projects)) requireLaunchConsent(context, project)
  const runtime = await context.registry.load('runtime', name)
  return (await runtime.elsewhere?.check()) ?? 'it is this machine'
}

export function drainPlace(context: ManagerContext, name: string, drained: boolean): void {
  requirePlace(context, name)
  const file = drainFile(context, name)
  if (!drained) {
    removeFile(file)
    return
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, `${context.clock.now().toISOString()}\n`)
}

/** Places of sessions that the configuration does not have, with the sessions that are there. */
function formerPlaces(context: ManagerContext): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const projectId of projectIds(context)) {
    const store = context.store(projectId)
    for (const id of store.list()) {
      const record = store.read(id)?.record
      const place = record?.place
      if (!record || place === undefined || !isInFormerPlace(context, record) || !takesRoom(record, place)) continue
      found[place] = [...(found[place] ?? []), id]
    }
  }
  return found
}
