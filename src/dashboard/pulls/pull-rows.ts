// From the forge's answer to what the page shows. Pure.
import type { PullCheck, PullDetail, PullRemark, PullReview, PullRow } from '../../contract/dashboard/answers.ts'
import type { Check, FoundText, Pull, ReviewComment } from '../../contract/pull.ts'
import type { PullReading, ReadPull } from './pull-reading.ts'

export function toRow({ project, scm }: Pick<PullReading, 'project' | 'scm'>, read: ReadPull): PullRow {
  const { sessionId, staleReason, pull } = read
  const { pr, state, headSha, ci, checks, review, hasConflicts, failingOnBase, updatedAt } = pull
  const { author = null, createdAt = null, labels = [], assignees = [], reviewers = [] } = pull
  // Of other forges only failed checks are sure to have one.
  const hasLog = ({ status }: Check) => (scm?.costsNothing ? status !== 'pending' : status === 'failed')
  return {
    projectId: project.id,
    sessionId,
    staleReason,
    hasPage: scm?.shownHere !== true,
    // Where people and agents share one account the forge cannot tell whose verdict it is: the review goes to the agent.
    canReview: scm?.reviewPR !== undefined && scm.threads?.recordsWriter === true,
    canRerun: scm?.rerunChecks !== undefined,
    url: pr.url,
    number: pr.number,
    title: pr.title ?? null,
    state,
    isDraft: pr.isDraft ?? false,
    ci,
    review,
    hasConflicts,
    headSha,
    branch: pr.branch ?? null,
    baseBranch: pr.baseBranch ?? null,
    author,
    createdAt,
    updatedAt,
    labels,
    assignees,
    reviewers,
    checks: checks.map((check) => toCheck(check, { failingOnBase, hasLog: hasLog(check) })),
  }
}

function toCheck(check: Check, more: { failingOnBase: string[]; hasLog: boolean }): PullCheck {
  const { id, name, status, url, ranMs, note, finding } = check
  const failsOnBase = status === 'failed' && more.failingOnBase.includes(name)
  return {
    id,
    name,
    status,
    url: url ?? null,
    hasLog: more.hasLog,
    failsOnBase,
    ranMs,
    note,
    finding: finding && foundOnly(finding),
  }
}

function foundOnly({ verdict, text }: FoundText): FoundText {
  return { verdict, text }
}

export function toMarks(checks: readonly Check[]): PullDetail['marks'] {
  return checks.flatMap(({ finding }) => finding?.marks.map((mark) => ({ ...mark, verdict: finding.verdict })) ?? [])
}

export function toReview({ id, author, state, body, commit, submittedAt }: Pull['reviews'][number]): PullReview {
  return { id, author: author.login, state, body, commit, submittedAt }
}

export function toRemark(comment: ReviewComment): PullRemark {
  const { id, reviewId, author, body, path = null, startLine = null, line = null, isResolved, createdAt } = comment
  const { isAgent = false, thread = null, isReply = false, isOutdated = false } = comment
  const { login, isBot } = author
  const position = { path, startLine, line, isOutdated }
  return { id, reviewId, author: login, isBot, isAgent, thread, isReply, body, ...position, isResolved, createdAt }
}
