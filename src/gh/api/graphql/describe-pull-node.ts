// A pull request as a GraphQL node, with its reviews, threads and commits.
import { closedIssues } from '../../../forge/issues/close-issues.ts'
import { listCommits } from '../../../forge/pulls/list-commits.ts'
import { checksOf, observePull, type PullView } from '../../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { pullFiles } from '../../../forge/pulls/pull-files.ts'
import { numericId } from '../../ids.ts'
import type { Gh } from '../../open-gh.ts'
import { mergeState } from '../../pr/pr-fields.ts'
import { ASSOCIATION } from '../rest/describe-pull.ts'
import { issueStore } from '../rest/issues/which-issue.ts'
import { actor, commitNode, labelNodes, refNode, shaNode, userNodes } from './describe-basics.ts'
import { issueNode } from './describe-issue-node.ts'
import { conversationNode, reviewNode, threadNodes } from './describe-review-nodes.ts'
import { connection, field } from './field.ts'
import { repositoryFacts } from './repository-facts.ts'

const DECISIONS = {
  approved: 'APPROVED',
  changes_requested: 'CHANGES_REQUESTED',
  pending: 'REVIEW_REQUIRED',
  none: null,
} as const

export async function pullNode(gh: Gh, pull: LocalPull) {
  return pullViewNode(gh, await observePull(gh.forge, pull))
}

export function pullViewNode(gh: Gh, view: PullView): Record<string, unknown> {
  const { pull, state, headSha, baseSha, hasConflicts, review } = view
  const files = once(() => pullFiles(gh.forge, pull))
  const sum = (key: 'additions' | 'deletions') =>
    field([], async () => (await files()).reduce((total, file) => total + file[key], 0))
  return {
    __typename: 'PullRequest',
    ...textFields(view),
    headRefName: pull.head,
    headRefOid: headSha,
    headRef: refNode(gh, pull.head, headSha),
    baseRefName: pull.base,
    baseRefOid: baseSha ?? '',
    baseRef: baseSha === null ? null : refNode(gh, pull.base, baseSha),
    repository: repositoryFacts(gh),
    headRepository: repositoryFacts(gh),
    headRepositoryOwner: repositoryFacts(gh).owner,
    isCrossRepository: false,
    mergeable: hasConflicts === null ? 'UNKNOWN' : hasConflicts ? 'CONFLICTING' : 'MERGEABLE',
    mergeStateStatus: mergeState(view),
    mergeCommit: pull.mergeCommit === null ? null : shaNode(gh, pull.mergeCommit),
    mergedBy: state === 'merged' && pull.closedBy !== null ? actor(pull.closedBy) : null,
    reviewDecision: DECISIONS[review],
    reviewThreads: threadNodes(gh, view),
    reviews: connection(
      ({ states, author }: { states?: string[] | null; author?: string | null }) =>
        pull.reviews.filter(
          (one) =>
            (states ?? [one.state.toUpperCase()]).includes(one.state.toUpperCase()) &&
            (author ?? one.author) === one.author,
        ),
      (one) => reviewNode(gh, view, one),
      ['states', 'author'],
    ),
    latestReviews: connection(
      () => [...new Map(pull.reviews.map((one) => [one.author, one])).values()],
      (one) => reviewNode(gh, view, one),
    ),
    reviewRequests: connection(
      () => pull.reviewers,
      (login) => ({
        __typename: 'ReviewRequest',
        id: `RR_${pull.number}_${login}`,
        asCodeOwner: false,
        requestedReviewer: actor(login),
      }),
    ),
    comments: connection(
      () => pull.comments.filter(({ path }) => path === undefined),
      (one) => conversationNode(pull, one),
    ),
    totalCommentsCount: pull.comments.length,
    labels: labelNodes(gh, pull.labels),
    assignees: userNodes(pull.assignees),
    additions: sum('additions'),
    deletions: sum('deletions'),
    changedFiles: field([], async () => (await files()).length),
    files: connection(files, ({ path, additions, deletions, status }) => ({
      path,
      additions,
      deletions,
      changeType: {
        added: 'ADDED',
        removed: 'DELETED',
        renamed: 'RENAMED',
        copied: 'COPIED',
        modified: 'MODIFIED',
        changed: 'CHANGED',
      }[status],
    })),
    commits: connection(
      () => listCommits(gh.forge, pull),
      (commit) => ({
        __typename: 'PullRequestCommit',
        id: `PRC_${commit.sha}`,
        commit: commitNode(
          gh,
          commit,
          commit.sha === headSha
            ? view.checks
            : checksOf(gh.forge, commit.sha, null).filter(({ status }) => status !== 'pending'),
        ),
      }),
    ),
    closingIssuesReferences: connection(
      async () => {
        const store = await issueStore(gh)
        const issues = await Promise.all(closedIssues(pull).map((number) => store?.read(number) ?? null))
        return issues.filter((issue) => issue !== null)
      },
      (issue) => issueNode(gh, issue),
    ),
  }
}

function textFields({ pull, state }: PullView) {
  return {
    id: `PR_${pull.number}`,
    databaseId: numericId(`pull ${pull.number}`),
    number: pull.number,
    title: pull.title,
    body: pull.body,
    bodyText: pull.body,
    url: pull.url,
    permalink: pull.url,
    state: state.toUpperCase(),
    isDraft: pull.draft,
    closed: state !== 'open',
    merged: state === 'merged',
    locked: false,
    author: actor(pull.author, pull.session !== null),
    authorAssociation: ASSOCIATION,
    createdAt: pull.createdAt,
    updatedAt: pull.updatedAt,
    closedAt: pull.closedAt,
    mergedAt: state === 'merged' ? (pull.closedAt ?? pull.updatedAt) : null,
    milestone: null,
    autoMergeRequest: null,
    maintainerCanModify: false,
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= read()
    return pending
  }
}
