// Sessions as callers see them: what is stored, with status and activity derived from current observations. Writes nothing.
import { existsSync } from 'node:fs'
import { recordOf } from '../../contract/record.ts'
import type { Session, UnknownAgent } from '../../contract/session.ts'
import { deriveActivity, deriveStatus } from '../../core/status/derive-status.ts'
import { storedSession } from '../../store/session/session-file.ts'
import type { SessionStore, StoredSession } from '../../store/session/session-store.ts'
import { ownHandle } from '../active.ts'
import { type FoundSession, findActive, type ManagerContext, projectIds } from '../context.ts'
import { openEndedSessions } from './ended-sessions.ts'
import { findRuntime, type ObservedSession, observeSessions, probeSession, unknownAgent } from './observe-sessions.ts'

export async function list(context: ManagerContext, projectId?: string): Promise<Session[]> {
  return showSessions(context, await currentSessions(context, projectId))
}

/** As they are stored, with everything that was written before this was called. */
export async function currentSessions(context: ManagerContext, projectId?: string): Promise<Session[]> {
  await prepareList(context, projectId)
  return storedSessions(context, projectId)
}

/** Stored sessions as they are now, in the same order. */
export async function showSessions(context: ManagerContext, stored: Session[]): Promise<Session[]> {
  const ended = openEndedSessions()
  const shown = new Map<Session, Session>()
  for (const session of stored) {
    const before = ended.recall(session)
    if (before !== null) shown.set(session, before)
  }
  const others = shown.size === 0 ? stored : stored.filter((session) => !shown.has(session))
  const now = context.clock.now().getTime()
  for (const one of await observeSessions(context, others)) {
    const session = show(context, one)
    shown.set(one.session, session)
    if (isCachedSession.has(one.session)) ended.keep(one, session, now)
  }
  return stored.map((session) => shown.get(session)!)
}

/** With fewer sessions the runtime takes longer than their files. */
const MANY = 50

async function prepareList(context: ManagerContext, projectId: string | undefined): Promise<void> {
  for (const id of projectIds(context, projectId)) {
    const store = context.store(id)
    // Events written before this was called have been reported by then.
    if (store.isFollowed()) await new Promise((resolve) => setImmediate(resolve))
    else if (await prepareProbe(context, store)) return
  }
}

/** The runtime of the first session, which is usually that of all, is asked while the records of the others are read. */
async function prepareProbe(context: ManagerContext, store: SessionStore): Promise<boolean> {
  const ids = store.list()
  const first = ids.length < MANY ? null : store.read(ids[0]!)
  const handle = first && ownHandle(context, store.projectId, first.id, first.record)
  const runtime = handle && (await findRuntime(context, handle.runtimeName))
  runtime?.prepareProbe?.()
  return runtime?.prepareProbe !== undefined
}

/** The existing ones among them, with one query to each runtime. */
export async function listOnly(context: ManagerContext, sessionIds: Iterable<string>): Promise<Session[]> {
  const stored = [...sessionIds].flatMap((id) => {
    const found = findActive(context, id)
    return found ? [toSession(context, found.project.id, found.stored)] : []
  })
  const observed = await observeSessions(context, stored)
  return observed.map((one) => show(context, one))
}

export async function get(context: ManagerContext, sessionId: string): Promise<Session | null> {
  const found = findActive(context, sessionId)
  return found ? enrichOne(context, found) : null
}

export async function enrichOne(context: ManagerContext, found: FoundSession): Promise<Session> {
  const [observed] = await observeSessions(context, [toSession(context, found.project.id, found.stored)])
  return show(context, observed!)
}

/** By its record, its runtime and its agent's own records, which may show an end that the runtime could not tell. */
export async function readOne(context: ManagerContext, found: FoundSession): Promise<Session> {
  const [observed] = await observeSessions(context, [toSession(context, found.project.id, found.stored)], 'activity')
  return show(context, observed!)
}

/** By its record and its runtime alone: enough to know whether there is an agent to reach. */
export async function probeOne(context: ManagerContext, found: FoundSession): Promise<Session> {
  return show(context, await probeSession(context, toSession(context, found.project.id, found.stored)))
}

export function storedSessions(context: ManagerContext, projectId?: string): Session[] {
  return projectIds(context, projectId).flatMap((id) => {
    const store = context.store(id)
    const records = store.readAll()
    if (!store.isFollowed()) return records.map((stored) => toSession(context, id, stored))
    return records.map((stored) => cachedSession(context, id, stored))
  })
}

/** Of records that stay the same object while they do not change. */
const sessions = new WeakMap<StoredSession, Session>()
const isCachedSession = new WeakSet<Session>()

function cachedSession(context: ManagerContext, projectId: string, stored: StoredSession): Session {
  const cached = sessions.get(stored)
  if (cached) return cached
  const session = toSession(context, projectId, stored)
  // A handle that is not the record's own comes from the history, which may go on.
  if (session.runtimeHandle !== (stored.record.runtimeHandle ?? null)) return session
  // Shared by everybody who lists.
  sessions.set(stored, Object.freeze(session))
  isCachedSession.add(session)
  return session
}

/** As long as its record does, in a process that follows the records. */
export function staysTheSame(stored: Session): boolean {
  return isCachedSession.has(stored)
}

/** Those of them that there are. */
export function storedOf(context: ManagerContext, projectId: string, sessionIds: string[]): Session[] {
  const store = context.store(projectId)
  return sessionIds.flatMap((sessionId) => {
    const stored = store.read(sessionId)
    // null: it ended since its id was read.
    return stored ? [toSession(context, projectId, stored)] : []
  })
}

/** The runtime that a record names is not necessarily its own. */
function toSession(context: ManagerContext, projectId: string, stored: StoredSession): Session {
  const runtimeHandle = ownHandle(context, projectId, stored.id, stored.record)
  return { ...storedSession(stored, projectId), runtimeHandle }
}

function show(context: ManagerContext, observed: ObservedSession): Session {
  const { session, facts, liveness, reading, info } = observed
  const status = deriveStatus(facts, context.clock.now().getTime())
  const activity = deriveActivity(status, facts.runtime, reading?.state ?? null)
  return {
    ...session,
    status,
    activity,
    lastActivityAt: reading?.timestamp ?? session.lastActivityAt,
    ...showWorkspace(session),
    agentInfo: withReason(pinned(info ?? session.agentInfo, session), {
      unknown: unknownAgent(liveness),
      blocked: activity === 'blocked' ? reading : null,
      resetsAt: facts.limitResetsAt ?? null,
    }),
  }
}

/** What the record declares from the beginning, `null` until it is known. */
function showWorkspace(session: Session): Pick<Session, 'workspacePath' | 'branch'> {
  const { workspacePath, branch } = session
  const isThere = workspacePath !== null && existsSync(workspacePath)
  const isToCome = recordOf(session).operation === 'spawn' && !isThere
  return { workspacePath: isThere ? workspacePath : null, branch: isToCome ? null : branch }
}

interface Blocked {
  unknown: UnknownAgent | undefined
  blocked: ObservedSession['reading']
  resetsAt: number | null
}

function withReason(info: Session['agentInfo'], { unknown, blocked, resetsAt }: Blocked): Session['agentInfo'] {
  if (unknown) return { ...(info ?? { summary: null, agentSessionId: null }), unknown }
  if (!blocked?.evidence) return info
  const limitResetsAt = resetsAt === null ? undefined : new Date(resetsAt)
  return { ...(info ?? { summary: null, agentSessionId: null }), blockedBy: blocked.evidence, limitResetsAt }
}

/** The user's own text wins over the agent's. */
function pinned(info: Session['agentInfo'], session: Session): Session['agentInfo'] {
  const { pinnedSummary } = recordOf(session)
  if (!pinnedSummary) return info
  const { summaryIsFallback: _fallback, ...rest } = info ?? { agentSessionId: null }
  return { ...rest, summary: pinnedSummary }
}
