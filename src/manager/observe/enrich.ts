// Sessions as callers see them: what is stored, with status and activity derived from current observations. Writes nothing.

import { existsSync } from 'node:fs'
import { recordOf } from '../../contract/record.ts'
import type { PausedAgent, Session, UnknownAgent } from '../../contract/session.ts'
import { deriveActivity, deriveStatus } from '../../core/status/derive-status.ts'
import type { SessionStore, StoredSession } from '../../store/session/session-store.ts'
import { ownHandle, recordedSession, staysTheSame, storedSessions } from '../active.ts'
import {
  type FoundSession,
  findActive,
  findPlugin,
  type ManagerContext,
  projectIds,
  reachSessions,
} from '../context.ts'
import { openEndedSessions } from './ended-sessions.ts'
import { type Depth, type ObservedSession, observeSessions, probeSession, unknownAgent } from './observe-sessions.ts'

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
  for (const one of await observe(context, others)) {
    const session = show(context, one)
    shown.set(one.session, session)
    if (staysTheSame(one.session) && one.paused === null) ended.keep(one, session, now)
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

/** The runtime of one session, which is usually that of all, is asked while the records of the others are read. */
async function prepareProbe(context: ManagerContext, store: SessionStore): Promise<boolean> {
  const ids = store.listSome(MANY)
  const first = ids.length < MANY ? null : readFirst(store, ids)
  const handle = first && ownHandle(context, store.projectId, first.id, first.record)
  const runtime = handle && (await findPlugin(context, 'runtime', handle.runtimeName))
  runtime?.prepareProbe?.()
  return runtime?.prepareProbe !== undefined
}

function readFirst(store: SessionStore, ids: readonly string[]): StoredSession | null {
  for (const id of ids) {
    const stored = store.read(id)
    if (stored !== null) return stored
  }
  return null
}

/** The existing ones among them, with one query to each runtime. */
export async function listOnly(context: ManagerContext, sessionIds: Iterable<string>): Promise<Session[]> {
  const stored = [...sessionIds].flatMap((id) => {
    const found = findActive(context, id)
    return found ? [recordedSession(context, found)] : []
  })
  const observed = await observe(context, stored)
  return observed.map((one) => show(context, one))
}

export async function get(context: ManagerContext, sessionId: string): Promise<Session | null> {
  const found = findActive(context, sessionId)
  return found ? enrichOne(context, found) : null
}

export async function enrichOne(context: ManagerContext, found: FoundSession): Promise<Session> {
  const [observed] = await observe(context, [recordedSession(context, found)])
  return show(context, observed!)
}

/** By its record, its runtime and its agent's own records, which may show an end that the runtime could not tell. */
export async function readOne(context: ManagerContext, found: FoundSession): Promise<Session> {
  const [observed] = await observe(context, [recordedSession(context, found)], 'activity')
  return show(context, observed!)
}

/** By its record and its runtime alone: enough to know whether there is an agent to reach. */
export async function probeOne(context: ManagerContext, found: FoundSession): Promise<Session> {
  return show(context, await probeSession(context, recordedSession(context, found)))
}

/** Found and observed. */
async function observe(context: ManagerContext, sessions: Session[], depth?: Depth): Promise<ObservedSession[]> {
  return observeSessions(context, await reachSessions(context, sessions), depth)
}

function show(context: ManagerContext, observed: ObservedSession): Session {
  const { session, facts, liveness, reading, info, paused } = observed
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
      workLeft: liveness?.workLeft,
      paused: paused ?? undefined,
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
  workLeft: string | undefined
  paused: PausedAgent | undefined
  blocked: ObservedSession['reading']
  resetsAt: number | null
}

function withReason(info: Session['agentInfo'], reasons: Blocked): Session['agentInfo'] {
  const { unknown, workLeft, paused, blocked, resetsAt } = reasons
  if (!unknown && !blocked?.evidence && workLeft === undefined && !paused) return info
  const described = { ...(info ?? { summary: null, agentSessionId: null }), workLeft, paused }
  if (unknown) return { ...described, unknown }
  if (!blocked?.evidence) return described
  const limitResetsAt = resetsAt === null ? undefined : new Date(resetsAt)
  return { ...described, blockedBy: blocked.evidence, limitResetsAt }
}

/** The user's own text wins over the agent's. */
function pinned(info: Session['agentInfo'], session: Session): Session['agentInfo'] {
  const { pinnedSummary } = recordOf(session)
  if (!pinnedSummary) return info
  const { summaryIsFallback: _fallback, ...rest } = info ?? { agentSessionId: null }
  return { ...rest, summary: pinnedSummary }
}
