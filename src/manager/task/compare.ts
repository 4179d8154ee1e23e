// The sessions of one task beside each other: what their forge and gates say, how much they changed, what they cost, and how far
// apart they are. Reads only.
import type { DiffAnswer } from '../../contract/dashboard/answers.ts'
import type { ComparedPair, ComparedSession, Comparison } from '../../contract/dashboard/tasks.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { countDiff } from '../../core/git/count-diff.ts'
import { titleOf } from '../../core/status/describe-session.ts'
import { spentOf } from '../../core/status/spent.ts'
import { waitsFor } from '../../core/task/read-blockers.ts'
import type { SharedTask } from '../../core/task/shared-task.ts'
import type { PrReading } from '../../slots/scm.ts'
import { type ManagerContext, requireProject, scmOf } from '../context.ts'
import { addGates, gatesOf } from '../observe/gates.ts'
import { requireAnySession } from '../observe/require-session.ts'
import { diffSession, diffWork } from '../observe/session-diff.ts'
import { requireShared, sessionsOf, type TaskSession } from './find-task.ts'

/** By the task's id, or by one of its sessions. */
export async function compare(context: ManagerContext, name: string): Promise<Comparison> {
  const { task } = requireShared(context, name)
  const members = sessionsOf(context, task)
  const sessions = await Promise.all(members.map((one) => describe(context, one)))
  const { id, kind, project, createdAt, chosen = null, stopped = null } = task
  const title = members[0] ? titleOf(members[0].session) : id
  const missing = task.members.length - members.length
  return {
    ...{ id, kind, project, createdAt, title, chosen, stopped, missing, sessions },
    pairs:
      kind === 'best'
        ? await pairsOf(
            context,
            members.map(({ session }) => session),
          )
        : [],
  }
}

async function describe(context: ManagerContext, { session: stored, index }: TaskSession): Promise<ComparedSession> {
  const { session, archivedAt } = await requireAnySession(context, stored.id)
  const record = recordOf(session)
  const reading = await readPullOf(context, session)
  const size = await sizeOf(context, session)
  const spent = spentOf(session)
  const end = isTerminalSession(session) ? (record.statusSince ?? session.lastActivityAt) : context.clock.now()
  const minutes = Math.max(0, Math.round((end.getTime() - session.createdAt.getTime()) / 60_000))
  return {
    index,
    id: session.id,
    projectId: session.projectId,
    agent: record.agent ?? '',
    model: record.usageModel ?? record.model ?? null,
    status: session.status,
    waits: waitsFor(session),
    isArchived: archivedAt !== null,
    branch: session.branch,
    pull: reading?.kind === 'read' ? { url: reading.snapshot.pr.url, number: reading.snapshot.pr.number } : null,
    ci: reading?.kind === 'read' ? reading.snapshot.ci : reading?.kind === 'unknown' ? 'unknown' : 'none',
    review: reading?.kind === 'read' ? reading.snapshot.review : reading?.kind === 'unknown' ? 'unknown' : 'none',
    checks: reading?.kind === 'read' ? reading.snapshot.checks.map(({ name, status }) => ({ name, status })) : [],
    size,
    costUsd: spent?.costUsd ?? null,
    tokens: spent?.tokens ?? null,
    minutes: Number.isNaN(minutes) ? null : minutes,
  }
}

/** null: it has none. */
async function readPullOf(context: ManagerContext, session: Session): Promise<PrReading | null> {
  const project = requireProject(context, session.projectId)
  const scm = await scmOf(context, project)
  if (session.pr === null || !scm?.readPullRequests) return null
  try {
    const readings = await scm.readPullRequests([{ sessionId: session.id, branch: null, pr: session.pr }], project)
    await addGates(gatesOf(context, project, scm), readings)
    return readings.get(session.id) ?? null
  } catch (error) {
    return { kind: 'unknown', why: errorText(error) }
  }
}

/** null: its branch is gone, or it never began. */
async function sizeOf(context: ManagerContext, session: Session): Promise<ComparedSession['size']> {
  const { head, diff, truncated } = await diffSession(context, session)
  return head === '' ? null : { ...countDiff(diff), isCut: truncated }
}

async function pairsOf(context: ManagerContext, sessions: readonly Session[]): Promise<ComparedPair[]> {
  const pairs: ComparedPair[] = []
  for (const [at, a] of sessions.entries()) {
    for (const b of sessions.slice(at + 1)) {
      const answer = await diffWork(context, a, b)
      if (answer) pairs.push({ a: a.id, b: b.id, ...countDiff(answer.diff), isCut: answer.truncated })
    }
  }
  return pairs
}

/** From the committed work of one to that of another of the same task. */
export async function diffPair(context: ManagerContext, name: string, a: string, b: string): Promise<DiffAnswer> {
  const { task } = requireShared(context, name)
  const [one, other] = [a, b].map((id) => requireMember(context, task, id))
  const answer = await diffWork(context, one!, other!)
  if (answer) return answer
  throw new AoError('STATE_REFUSED', `The commits of ${a} and ${b} are not in one repository on this machine`)
}

function requireMember(context: ManagerContext, task: SharedTask, id: string): Session {
  const found = sessionsOf(context, task).find(({ session }) => session.id === id)
  if (found) return found.session
  throw new AoError('USAGE', `${id} is not a session of task ${task.id}`, { details: { session: id, task: task.id } })
}
