// Places that sessions are in and that cannot be reached: a metric, and one notification for each outage.
import type { ProjectConfig } from '../../contract/config.ts'
import { unreachableNotice, unreachablePlaces } from '../../core/place/unreachable-places.ts'
import { measure } from '../../lib/measures.ts'
import { type ObservedSession, unknownAgent } from '../../manager/observe/observe-sessions.ts'
import type { LoopContext } from '../loop/loop-context.ts'

/** `isAll`: these are all sessions of the project, so that a place none of them misses has come back. */
export async function notePlaces(
  loop: LoopContext,
  project: ProjectConfig,
  { observed, isAll }: { observed: readonly ObservedSession[]; isAll: boolean },
): Promise<void> {
  const lost = unreachablePlaces(
    observed.map(({ session, liveness }) => ({
      ...session,
      agentInfo: { summary: null, agentSessionId: null, unknown: unknownAgent(liveness) },
    })),
  )
  const before = loop.lostPlaces.get(project.id) ?? new Set<string>()
  const now = lost.map(({ place }) => place)
  loop.lostPlaces.set(project.id, new Set(isAll ? now : [...before, ...now]))
  if (isAll) {
    measure('places', {
      repository: loop.context.paths.hash,
      project: project.id,
      unreachable: new Map(lost.map(({ place, sessions }) => [place, sessions.length])),
    })
  }
  for (const one of lost) {
    // Sessions lose the same place at slightly different moments: that is one outage.
    if (before.has(one.place)) continue
    await loop.notify({
      type: 'place.unreachable',
      projectId: project.id,
      priority: 'action',
      message: `${project.name}: ${unreachableNotice(one)}`,
      // Not again after a restart of the loop.
      dedupeKey: `place-unreachable ${project.id} ${one.place} ${one.since.getTime()}`,
    })
  }
}
