// Notifications about a project as a whole: places that cannot be reached, failures that no single agent caused, all work done.

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { isOrchestrator } from '../../contract/ids.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { unreachableNotice, unreachablePlaces } from '../../core/place/unreachable-places.ts'
import type { SharedFailure } from '../../core/reactions/shared-failures.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { measure } from '../../lib/measures.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { type ObservedSession, unknownAgent } from '../../manager/observe/observe-sessions.ts'
import { isBetweenAgents } from '../../manager/operation.ts'
import type { LoopContext, SessionTick } from '../loop/loop-context.ts'

/**
 * A metric, one notification for each outage, and one for work that is too large to come home. `isAll`: these are all sessions of the project, so that a place none of them
 * misses has come back.
 */
export async function notePlaces(
  loop: LoopContext,
  project: ProjectConfig,
  { observed, isAll }: { observed: readonly ObservedSession[]; isAll: boolean },
): Promise<void> {
  const unknown = observed.flatMap(({ session, liveness }) => {
    const agent = unknownAgent(liveness)
    return agent ? [{ ...session, agentInfo: { summary: null, agentSessionId: null, unknown: agent } }] : []
  })
  const lost = unknown.length === 0 ? [] : unreachablePlaces(unknown)
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
  await notifyWorkLeft(loop, observed)
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

/** Once for each start of a session. */
async function notifyWorkLeft(loop: LoopContext, observed: readonly ObservedSession[]): Promise<void> {
  for (const { session, liveness } of observed) {
    if (!liveness?.workLeft) continue
    const { id, projectId, runtimeHandle } = session
    await loop.notify({
      type: 'place.work-left',
      projectId,
      sessionId: id,
      priority: 'action',
      message: `${id}: ${liveness.workLeft}`,
      dedupeKey: `place-work-left ${id} ${runtimeHandle?.data?.spawnId}`,
    })
  }
}

export async function notifyShared(loop: LoopContext, project: ProjectConfig, shared: SharedFailure[]): Promise<void> {
  for (const { check, sessionIds, why, fingerprint } of shared) {
    loop.seen?.push({ kind: 'notice', project: project.id, type: 'ci.shared_failure', about: fingerprint })
    await loop.notify({
      type: 'ci.shared_failure',
      projectId: project.id,
      priority: 'action',
      message: `${project.name}: check ${check} fails for ${sessionIds.join(', ')}, and ${why}; the agents were not notified`,
      dedupeKey: `shared-failure ${project.id} ${fingerprint}`,
    })
  }
}

/** When the last worker has ended: once, with a summary. New work re-arms it. */
export async function notifyAllComplete(
  loop: LoopContext,
  project: ProjectConfig,
  stored: readonly Session[],
  ticks: readonly SessionTick[],
): Promise<void> {
  const rule = loop.rules.get(project.id)!['all-complete']
  if (!rule.auto) return
  const now = new Map(ticks.map(({ session }) => [session.id, session]))
  const workers = stored
    .map((one) => now.get(one.id) ?? one)
    .filter((one) => !isOrchestrator(one.id, recordOf(one).role ?? ''))
  if (workers.length === 0 || workers.some((one) => !hasEnded(one) || isRestarting(loop, one))) return
  const file = join(loop.context.paths.project(project.id).dir, 'loop', 'all-complete.json')
  const notified = readNotified(file)
  const ended = workers.map((one) => `${one.id}:${recordOf(one).launch ?? 1}`)
  // Cleaning up makes the list shorter, which is not news.
  if (ended.every((one) => notified.has(one))) return
  loop.seen?.push({ kind: 'notice', project: project.id, type: 'summary.all_complete', about: ended.join(' ') })
  await loop.notify({
    type: 'summary.all_complete',
    projectId: project.id,
    priority: rule.priority,
    message: `${project.name}: ${rule.message ?? `all ${workers.length} sessions have ended: ${summary(workers)}`}`,
    dedupeKey: `all-complete ${project.id} ${ended.sort().join(' ')}`,
  })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, JSON.stringify(ended))
}

function hasEnded(session: Session): boolean {
  const record = recordOf(session)
  if (record.operation !== undefined || isBetweenAgents(record)) return false
  return isTerminalSession({ status: session.status, activity: null })
}

/** A reaction that restarts it was begun, and ends the old agent before it starts the new one. */
function isRestarting(loop: LoopContext, { projectId, id }: Session): boolean {
  return Object.values(loop.reactions.read(projectId, id)).some(
    (record) => record?.action === 'restart-agent' && (record.state === 'intended' || record.state === 'failed'),
  )
}

function summary(workers: Session[]): string {
  return [...Map.groupBy(workers, ({ status }) => status)]
    .map(([status, group]) => `${group.length} ${status} (${group.map(({ id }) => id).join(', ')})`)
    .join('; ')
}

function readNotified(file: string): Set<string> {
  try {
    const notified: unknown = JSON.parse(readPlainText(file))
    return new Set(Array.isArray(notified) ? notified.map(String) : [])
  } catch {
    // Nothing was sent yet, or the file is damaged: it is sent once more, and the outbox knows its key.
    return new Set()
  }
}
