// A session as `--json` prints it. Only public names: the runtime's name for it is not for users.

import type { TaskMark } from '../../contract/blocker.ts'
import { pullRef } from '../../contract/ids.ts'
import type { PullFacts } from '../../contract/pull.ts'
import { recordOf } from '../../contract/record.ts'
import type { Role } from '../../contract/record-values.ts'
import { type AgentCost, damageOf, type Session } from '../../contract/session.ts'
import type { ActivityState, SessionStatus } from '../../contract/status.ts'
import { prNumber, roleOf, summaryOf, titleOf } from '../../core/status/describe-session.ts'
import { otherPulls } from '../../core/status/recorded-facts.ts'

export interface SessionJson {
  id: string
  projectId: string
  role: Role
  status: SessionStatus
  activity: ActivityState | null
  /** Why its activity is unknown, of an agent in a place that cannot be reached; absent otherwise. */
  unknown?: { place: string; why: string; since: string | null; unreachable: boolean } | undefined
  /** Which part of its work is too large to come home from its place; absent: all of it comes. */
  workLeft?: string | undefined
  /** While it is blocked: by what, in the agent's own words. */
  blockedBy?: string | undefined
  branch: string | null
  issueId: string | null
  pr: { url: string; number: number | null } | null
  /** Further ones that it opened, oldest first; absent: none. */
  otherPulls?: Array<Pick<PullFacts, 'url' | 'state' | 'ci' | 'review'> & { number: number | null }> | undefined
  title: string
  summary: string | null
  agent: string | null
  /** Which of its accounts the agent uses; null: the one that it is signed in to by itself. */
  account: string | null
  runtime: string | null
  /** Where its agent runs; null: on this machine. */
  place: string | null
  workspacePath: string | null
  cost: AgentCost | null
  createdAt: string
  lastActivityAt: string
  restoredAt: string | null
  /** Since when it is paused, alone, with its place or with everything; absent: it is not. */
  paused?: string | undefined
  /** Its part in a task of several sessions; absent: it is the only one. */
  task?: TaskMark | undefined
  /** Why its record cannot be read, fully or in part; absent for an intact one. */
  damaged?: string | undefined
}

/** The documentation's wording for the same. */
export const SESSION_JSON =
  '{ id, projectId, role, status, activity, unknown?: { place, why, since, unreachable }, workLeft?, blockedBy?, branch, issueId, pr: { url, number } | null, otherPulls?: [{ url, number, state, ci, review }], title, summary, agent, account, runtime, place, workspacePath, cost, createdAt, lastActivityAt, restoredAt, paused?, task?: { id, kind, index, of, chosen? }, damaged? }'

export function toSessionJson(session: Session): SessionJson {
  const damaged = damageOf(session)
  const unknown = session.agentInfo?.unknown
  const others = otherPulls(recordOf(session)).map(({ url, state, ci, review }) => {
    return { url, number: pullRef(url).number ?? null, state, ci, review }
  })
  return {
    id: session.id,
    projectId: session.projectId,
    role: roleOf(session),
    status: session.status,
    activity: session.activity,
    unknown: unknown && { ...unknown, since: unknown.since && toIso(unknown.since) },
    workLeft: session.agentInfo?.workLeft,
    blockedBy: session.agentInfo?.blockedBy,
    branch: session.branch,
    issueId: session.issueId,
    pr: session.pr && { url: session.pr.url, number: prNumber(session) },
    otherPulls: others.length === 0 ? undefined : others,
    title: titleOf(session),
    summary: summaryOf(session),
    agent: recordOf(session).agent ?? null,
    account: recordOf(session).account ?? null,
    runtime: session.runtimeHandle?.runtimeName ?? null,
    place: recordOf(session).place ?? null,
    workspacePath: session.workspacePath,
    cost: session.agentInfo?.cost ?? null,
    createdAt: toIso(session.createdAt) ?? '',
    lastActivityAt: toIso(session.lastActivityAt) ?? '',
    restoredAt: session.restoredAt ? toIso(session.restoredAt) : null,
    paused: session.agentInfo?.paused?.since ?? recordOf(session).paused?.toISOString(),
    task: recordOf(session).task,
    damaged,
  }
}

/** By project, then by number: `app-2` before `app-10`. */
export function sortedById(sessions: readonly Session[]): Session[] {
  const keyed = sessions.map((session) => ({ session, key: splitId(session.id) }))
  return keyed.sort(compare).map(({ session }) => session)
}

interface Keyed {
  session: Session
  key: [name: string, number: number]
}

function compare({ session: a, key: [nameA, numberA] }: Keyed, { session: b, key: [nameB, numberB] }: Keyed): number {
  if (a.projectId !== b.projectId) return a.projectId < b.projectId ? -1 : 1
  if (nameA !== nameB) return nameA < nameB ? -1 : 1
  return numberA - numberB
}

function splitId(id: string): [name: string, number: number] {
  const end = /-?(?<!\d)(\d+)$/.exec(id)
  return end ? [id.slice(0, end.index), Number(end[1])] : [id, 0]
}

/** A hand-edited date may be invalid. */
function toIso(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
