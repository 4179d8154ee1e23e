// A session as a card on the board: its column, the possible actions, and why. The only module where a column is decided: by
// what the person must do, not by what the agent does.

import { isWaiting, landsAlone, taskWord, writeBlocker } from '../../contract/blocker.ts'
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import type { BoardColumn } from '../../contract/dashboard/columns.ts'
import { pullRef } from '../../contract/ids.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import type { PullCard, PullFacts } from '../../contract/pull.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isRestorable, isTerminalSession, type SessionStatus } from '../../contract/status.ts'
import { findNeed, isCalling, type Need, type NeedFacts } from '../queue/find-need.ts'
import { isAsleep } from '../queue/rank-queue.ts'
import { recordedRisk } from '../review/recorded-risk.ts'
import { waitsFor } from '../task/read-blockers.ts'
import { prNumber, roleOf, titleOf } from './describe-session.ts'
import { foundTexts, hasLeftTrain, otherPulls, recordedPrFacts } from './recorded-facts.ts'
import { spentOf } from './spent.ts'

export interface CardFacts extends NeedFacts {
  view: 'terminal' | 'transcript' | null
  /** What it may cost; absent: there is no limit. */
  limitUsd?: number | null
}

/** What made it `working` is no longer why it is where it is. */
const TURN_ENDED = 'its turn ended, and it opened no pull request'

const LONGEST_MESSAGE = 600
const LONGEST_QUESTION = 4_000

export function toCard(facts: CardFacts): SessionCard {
  const { session } = facts
  const { agentInfo } = session
  const record = recordOf(session)
  const pr = pullCard(session)
  const ended = isTerminalSession(session)
  const operation = record.operation ?? null
  const need = findNeed(facts)
  const waits = waitsFor(session)
  const snoozedUntil = snoozeOf(session, need)
  return {
    id: session.id,
    projectId: session.projectId,
    role: roleOf(session),
    title: titleOf(session),
    status: session.status,
    waits,
    activity: session.activity,
    unknown: ended ? null : unknownOf(session),
    paused: agentInfo?.paused ?? null,
    column: columnOf(session, need, isAsleep(snoozedUntil, facts.now.getTime())),
    need,
    snoozedUntil,
    statusSince: facts.since,
    evidence:
      need?.kind === 'finished'
        ? [TURN_ENDED]
        : waits
          ? [`it ${waits}`]
          : facts.evidence.map((text) => shortenSummary(text, pr)),
    agent: record.agent ?? 'unknown',
    account: record.account ?? null,
    runtime: session.runtimeHandle?.runtimeName ?? record.runtime ?? 'unknown',
    place: record.place ?? null,
    model: agentInfo?.model ?? null,
    branch: session.branch,
    issue: session.issueId === null ? null : { id: session.issueId, url: null, title: record.issueTitle ?? null },
    pr,
    otherPulls: otherPulls(record).map(otherCard),
    task: record.task ? { id: record.task.id, kind: record.task.kind, word: taskWord(record.task) } : null,
    createdAt: toIso(session.createdAt),
    lastActivityAt: toIso(session.lastActivityAt),
    operation,
    cost: agentInfo?.cost ?? null,
    spent: spentOf(session),
    budget: { limitUsd: facts.limitUsd ?? null, over: record.overBudget ?? null },
    limitResetsAt: ended ? null : (agentInfo?.limitResetsAt?.toISOString() ?? null),
    lastMessage: agentInfo?.lastMessage?.slice(-LONGEST_MESSAGE) ?? null,
    permissions: ended ? [] : facts.permissions.map(cutQuestion),
    meets: ended
      ? []
      : (record.meets ?? []).map(({ with: other, path, files, conflict, fails }) => ({
          with: other,
          path,
          files,
          conflict: conflict === true,
          fails: typeof fails === 'string' ? fails : null,
        })),
    changedChecks: changedChecksOf(session, pr),
    findings: pr?.state === 'open' ? foundTexts(recordedPrFacts(record)) : [],
    risk: pr?.state === 'open' ? recordedRisk(record, pr.headSha) : undefined,
    blockers: blockersOf(record),
    can: {
      send: !ended && operation === null && waits === null,
      kill: !ended && (operation === null || operation === 'spawn'),
      remove: ended && operation === null,
      restore: isRestorable(session) && operation === null,
      start: waits !== null,
      merge: facts.canMerge && isMergeable(pr) && landsByItself(record),
      view: viewOf(facts, { ended, waits }),
    },
  }
}

/** Neither before the work below it, nor without the others of its task. */
function landsByItself(record: SessionRecord): boolean {
  return landsAlone(record) && (record.stack?.on ?? null) === null
}

function viewOf({ view }: CardFacts, { ended, waits }: { ended: boolean; waits: string | null }): CardFacts['view'] {
  if (waits !== null) return null
  return ended && view !== 'transcript' ? null : view
}

function unknownOf({ agentInfo }: Session): SessionCard['unknown'] {
  const unknown = agentInfo?.unknown
  return unknown ? { ...unknown, since: unknown.since?.toISOString() ?? null } : null
}

/** What others have to do before this one starts or lands; undefined: nothing. */
function blockersOf(record: SessionRecord): string[] | undefined {
  const on = record.stack?.on ?? null
  const names = [
    ...(isWaiting(record) ? (record.blockers ?? []).map(writeBlocker) : []),
    ...(on === null ? [] : [writeBlocker({ kind: 'session', id: on })]),
  ]
  return names.length === 0 ? undefined : names
}

/** Of this very head. */
function changedChecksOf(session: Session, pr: PullCard | null): string[] {
  const { changedChecks } = recordOf(session)
  return pr?.state === 'open' && changedChecks?.head === pr.headSha ? changedChecks.paths : []
}

/** The card links to its pull request; the full URL would leave no room for the text about it. */
function shortenSummary(text: string, pr: PullCard | null): string {
  return pr === null || pr.number === null ? text : text.replace(pr.url, `#${pr.number}`)
}

/** Sent to every page with every change of the card. The part that is cut off must not be approved unseen. */
function cutQuestion(request: PermissionRequest): PermissionRequest {
  const more = request.title.length - LONGEST_QUESTION
  if (more <= 0) return request
  const title = `${request.title.slice(0, LONGEST_QUESTION)}… (${more} more characters: read all of it on its page first)`
  return { ...request, title }
}

/** How the agent handles these is its own business, until somebody must help. */
const BY_STATUS: Readonly<Record<SessionStatus, BoardColumn>> = {
  needs_input: 'needs_you',
  // Only a coordinator is stuck without needing anybody.
  stuck: 'working',
  errored: 'done',
  mergeable: 'ready_to_merge',
  approved: 'in_review',
  review_pending: 'in_review',
  pr_open: 'in_review',
  ci_failed: 'working',
  changes_requested: 'working',
  working: 'working',
  spawning: 'working',
  cleanup: 'done',
  killed: 'done',
  terminated: 'done',
  done: 'done',
  merged: 'done',
}

function columnOf(session: Session, need: Need | null, isSnoozed = false): BoardColumn {
  if (need === null || !isCalling(need.kind)) return hasLeftTrain(session) ? 'working' : BY_STATUS[session.status]
  return isSnoozed ? 'working' : 'needs_you'
}

/** It was put off for this need; another one is not. */
function snoozeOf(session: Session, need: Need | null): string | null {
  const { snoozedUntil, snoozedNeed } = recordOf(session)
  return need && snoozedUntil && snoozedNeed === need.kind ? snoozedUntil.toISOString() : null
}

function pullCard(session: Session): PullCard | null {
  const { pr } = session
  const record = recordOf(session)
  if (pr === null) return null
  // Of this very pull request, not of an earlier one.
  const facts = recordedPrFacts(record)
  const conflicts = facts === null ? undefined : record.prConflicts
  return {
    url: pr.url,
    number: prNumber(session),
    title: pr.title ?? record.prTitle ?? null,
    state: session.status === 'merged' ? 'merged' : (facts?.state ?? 'open'),
    ci: facts?.ci ?? 'unknown',
    review: facts?.review ?? 'unknown',
    hasConflicts: conflicts === 'true' ? true : conflicts === 'false' ? false : null,
    headSha: facts === null ? null : (record.prHead ?? null),
  }
}

/** Of another pull request of the session, as the forge last had it. */
function otherCard({ url, title, state, ci, review, mergeable, head }: PullFacts): PullCard {
  const number = pullRef(url).number ?? null
  const hasConflicts = mergeable === true ? false : null
  return { url, number, title: title ?? null, state, ci, review, hasConflicts, headSha: head ?? null }
}

/** One click, so only if it was approved or needs no review; anything else is merged on its own page, after inspection. */
function isMergeable(pr: PullCard | null): boolean {
  if (pr === null || pr.state !== 'open' || pr.headSha === null || pr.hasConflicts === true) return false
  return (pr.ci === 'passing' || pr.ci === 'none') && (pr.review === 'approved' || pr.review === 'none')
}

/** A hand-edited date may be invalid. */
function toIso(date: Date): string {
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString()
}
