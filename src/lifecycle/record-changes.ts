// What a tick found out goes into the session's record: one update, and an event with the evidence for a new status.
import type { ProjectConfig } from '../contract/config.ts'
import type { SessionEventBody } from '../contract/events.ts'
import type { Session } from '../contract/session.ts'
import { metadataToSession } from '../store/metadata-to-session.ts'
import type { LoopContext } from './loop-context.ts'
import type { Look } from './tick.ts'

export async function recordChanges(
  loop: LoopContext,
  project: ProjectConfig,
  look: Look,
): Promise<{ session: Session }> {
  const { observed, status } = look
  const { session } = observed
  // Another command is at work: the record is its own until it is done.
  if (observed.facts.operation) return { session }
  const change = changesOf(look)
  if (!isWorthWriting(session, change)) return { session: { ...session, status } }
  const events: SessionEventBody[] =
    status === session.status
      ? []
      : [{ type: 'status.changed', from: session.status, to: status, evidence: evidenceFor(look) }]
  const store = loop.manager.store(project.id)
  const pairs = await store.update(
    session.id,
    // A command may have started meanwhile, or the agent's own wrapper may have said more: under the lock it is decided.
    (now) => (now.operation !== undefined || now.status !== session.metadata.status ? {} : change),
    events,
  )
  if (status !== session.status)
    loop.say(`${session.id}: ${session.status} → ${status} (${evidenceFor(look).join('; ')})`)
  return { session: { ...metadataToSession(session.id, pairs), projectId: project.id } }
}

/** The time of the last activity moves all the time; alone it is written now and then only. */
const ACTIVITY_WRITE_MS = 15_000

function isWorthWriting(session: Session, change: Record<string, string>): boolean {
  return Object.entries(change).some(([key, value]) => {
    const before = session.metadata[key]
    if (key !== 'lastActivityAt' || before === undefined) return before !== value
    return Math.abs(Date.parse(value) - Date.parse(before)) >= ACTIVITY_WRITE_MS
  })
}

function changesOf({ observed, status, snapshot }: Look): Record<string, string> {
  const { reading, info } = observed
  return {
    status,
    ...(reading ? { activity: reading.state } : {}),
    ...(reading?.timestamp ? { lastActivityAt: reading.timestamp.toISOString() } : {}),
    ...(info?.summary && info.summaryIsFallback !== true ? { summary: info.summary } : {}),
    ...(snapshot
      ? {
          pr: snapshot.pr.url,
          prState: snapshot.state,
          prHead: snapshot.headSha,
          ci: snapshot.ci,
          review: snapshot.review,
          ...(snapshot.pr.title === undefined ? {} : { prTitle: snapshot.pr.title }),
        }
      : {}),
  }
}

/** Why the status is what it is, in words: kept in the history and told by `ao why`. */
export function evidenceFor({ observed, snapshot }: Look): string[] {
  const { liveness, reading } = observed
  const evidence: string[] = []
  if (snapshot) {
    evidence.push(
      `pull request ${snapshot.pr.url} is ${snapshot.state}, CI ${snapshot.ci}, review ${snapshot.review}` +
        (snapshot.hasConflicts ? ', with conflicts' : ''),
    )
  }
  if (liveness?.state === 'dead') evidence.push(`its runtime is gone: ${liveness.why}`)
  if (reading) evidence.push(`the agent is ${reading.state}${reading.evidence ? `: ${reading.evidence}` : ''}`)
  return evidence
}
