// A pull request: the one description that GraphQL answers, and that REST and `--json` are tables over.
import type { Check, Pull, Review } from '../../contract/pull.ts'
import { closedIssues } from '../../forge/issues/close-issues.ts'
import { pullFiles } from '../../forge/pulls/diff-pull.ts'
import { listCommits } from '../../forge/pulls/list-commits.ts'
import { checksOf } from '../../forge/pulls/observe-pulls.ts'
import type { ListedCommit } from '../../git/diff/commit-log.ts'
import { numericId } from '../ids.ts'
import { issueStore } from '../issue/local-issues.ts'
import { type Gh, recordOf } from '../open-gh.ts'
import { describeIssue, toIssue } from './issue.ts'
import {
  ASSOCIATION,
  describeLabels,
  describeRef,
  describeRepo,
  describeSha,
  describeUser,
  describeUsers,
  webUrl,
} from './names.ts'
import { connection, field, type Node } from './node.ts'
import { conversationOf, describeComment, describeReview, describeThreads } from './review.ts'
import { describeCheck, describeRollup } from './run.ts'

const DECISIONS = {
  approved: 'APPROVED',
  changes_requested: 'CHANGES_REQUESTED',
  pending: 'REVIEW_REQUIRED',
  none: null,
} as const
const FILE_CHANGES = {
  added: 'ADDED',
  removed: 'DELETED',
  renamed: 'RENAMED',
  copied: 'COPIED',
  modified: 'MODIFIED',
  changed: 'CHANGED',
} as const

export function describePull(gh: Gh, pull: Pull): Node {
  const { pr, state, headSha, baseSha = null, mergeCommit = null, closedBy = null, hasConflicts } = pull
  const { number, branch = '', baseBranch = '' } = pr
  const files = once(() => pullFiles(gh.forge, recordOf(gh, number)))
  const commits = once(() => listCommits(gh.forge, recordOf(gh, number)))
  const sum = (key: 'additions' | 'deletions') =>
    field([], async () => (await files()).reduce((total, file) => total + file[key], 0))
  const reviews = (list: (args: ReviewArgs) => readonly Review[], honours: string[] = []) =>
    connection(list, (one) => describeReview(gh, pull, one), honours)
  const repository = describeRepo(gh)
  return {
    __typename: 'PullRequest',
    ...textFields(pull),
    headRefName: branch,
    headRefOid: headSha,
    headRef: describeRef(gh, branch, headSha),
    baseRefName: baseBranch,
    baseRefOid: baseSha ?? '',
    baseRef: baseSha === null ? null : describeRef(gh, baseBranch, baseSha),
    repository,
    headRepository: repository,
    headRepositoryOwner: repository.owner,
    isCrossRepository: false,
    mergeable: hasConflicts === null ? 'UNKNOWN' : hasConflicts ? 'CONFLICTING' : 'MERGEABLE',
    mergeStateStatus: mergeState(pull),
    mergeCommit: mergeCommit === null ? null : describeSha(gh, mergeCommit),
    // A merge made with git alone has no author here.
    mergedBy: state === 'merged' && closedBy !== null ? describeUser(closedBy) : null,
    reviewDecision: DECISIONS[pull.review],
    reviewThreads: describeThreads(gh, pull),
    reviews: reviews(
      ({ states, author }) =>
        pull.reviews.filter(
          (one) =>
            (states?.includes(one.state.toUpperCase()) ?? true) && (author ?? one.author.login) === one.author.login,
        ),
      ['states', 'author'],
    ),
    latestReviews: reviews(() => [...new Map(pull.reviews.map((one) => [one.author.login, one])).values()]),
    reviewRequests: connection(
      () => pull.reviewers ?? [],
      (login) => ({
        __typename: 'ReviewRequest',
        id: `RR_${number}_${login}`,
        asCodeOwner: false,
        requestedReviewer: describeUser(login),
      }),
    ),
    comments: connection(
      () => conversationOf(pull),
      (one) => describeComment(pull, one),
    ),
    totalCommentsCount: pull.comments.length,
    labels: describeLabels(gh, pull.labels ?? []),
    assignees: describeUsers(pull.assignees ?? []),
    additions: sum('additions'),
    deletions: sum('deletions'),
    changedFiles: field([], async () => (await files()).length),
    files: connection(files, (file) => ({ ...file, changeType: FILE_CHANGES[file.status] })),
    commits: connection(commits, (commit) => ({
      __typename: 'PullRequestCommit',
      id: `PRC_${commit.sha}`,
      commit: describeCommit(gh, pull, commit),
    })),
    closingIssuesReferences: connection(
      async () => {
        const store = await issueStore(gh)
        const issues = await Promise.all(closes(pull).map((one) => store?.read(one) ?? null))
        return issues.filter((issue) => issue !== null)
      },
      (issue) => describeIssue(gh, toIssue(gh, issue)),
    ),
    closes: closes(pull).map((one) => ({ id: `I_${one}`, number: one, url: `${webUrl(gh)}/issues/${one}` })),
    checkRuns: connection(
      () => pull.checks,
      (check) => describeCheck(gh, check, { sha: headSha, page: pr.url }),
    ),
  }
}

interface ReviewArgs extends Record<string, unknown> {
  states?: string[] | null
  author?: string | null
}

function textFields(pull: Pull): Node {
  const { pr, state, body = '', author, session = null, createdAt, updatedAt, closedAt = null } = pull
  return {
    id: `PR_${pr.number}`,
    databaseId: numericId(`pull ${pr.number}`),
    number: pr.number,
    title: pr.title ?? '',
    body,
    bodyText: body,
    url: pr.url,
    permalink: pr.url,
    state: state.toUpperCase(),
    isDraft: pr.isDraft ?? false,
    closed: state !== 'open',
    merged: state === 'merged',
    locked: false,
    author: describeUser(author ?? '', session !== null),
    authorAssociation: ASSOCIATION,
    createdAt,
    updatedAt,
    closedAt,
    mergedAt: state === 'merged' ? (closedAt ?? updatedAt) : null,
    milestone: null,
    autoMergeRequest: null,
    maintainerCanModify: false,
  }
}

function closes({ pr, body = '' }: Pull): number[] {
  return closedIssues({ title: pr.title ?? '', body, head: pr.branch ?? '' })
}

function mergeState({ pr, state, ci, hasConflicts, review }: Pull): string {
  if (state !== 'open' || hasConflicts === null) return 'UNKNOWN'
  if (hasConflicts) return 'DIRTY'
  if (pr.isDraft) return 'DRAFT'
  if (review !== 'approved') return 'BLOCKED'
  return ci === 'passing' || ci === 'none' ? 'CLEAN' : 'UNSTABLE'
}

/** Of a commit that is not a head: what has not run never will. */
function pastChecks({ forge }: Gh, sha: string): Check[] {
  return checksOf(forge, sha, null).filter(({ status }) => status !== 'pending')
}

function describeCommit(gh: Gh, pull: Pull, { sha, subject, body, name, email, at }: ListedCommit): Node {
  const checks = sha === pull.headSha ? pull.checks : pastChecks(gh, sha)
  const signature = { name, email, date: at, user: null }
  return {
    ...describeSha(gh, sha),
    message: body === '' ? subject : `${subject}\n\n${body}`,
    messageHeadline: subject,
    messageBody: body,
    committedDate: at,
    authoredDate: at,
    author: signature,
    committer: signature,
    statusCheckRollup: describeRollup(gh, checks, { sha, page: pull.pr.url }),
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= read()
    return pending
  }
}
