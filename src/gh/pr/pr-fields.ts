// The fields of `gh pr … --json`, from a pull request of the local forge. Git is queried only when such a field is
// requested.
import { readCheckRecord } from '../../forge/ci/check-log.ts'
import { closedIssues } from '../../forge/issues/close-issues.ts'
import { createLabelStore, findLabel, PLAIN_COLOR } from '../../forge/label-store.ts'
import { dashboardUrl, projectDirectory } from '../../forge/project-directory.ts'
import type { PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import { numericId } from '../ids.ts'
import { OWNER } from '../which-repo.ts'

type ReadField = (view: PullView, forge: LocalForge) => unknown

const FIELDS: Record<string, ReadField> = {
  id: ({ pull }) => `PR_${pull.number}`,
  number: ({ pull }) => pull.number,
  title: ({ pull }) => pull.title,
  body: ({ pull }) => pull.body,
  url: ({ pull }) => pull.url,
  state: ({ state }) => state.toUpperCase(),
  closed: ({ state }) => state !== 'open',
  isDraft: ({ pull }) => pull.draft,
  author: ({ pull }) => author(pull.author, pull.session !== null),
  headRefName: ({ pull }) => pull.head,
  headRefOid: ({ headSha }) => headSha,
  baseRefName: ({ pull }) => pull.base,
  baseRefOid: ({ baseSha }) => baseSha ?? '',
  createdAt: ({ pull }) => pull.createdAt,
  updatedAt: ({ pull }) => pull.updatedAt,
  closedAt: ({ pull }) => pull.closedAt,
  mergedAt: ({ pull, state }) => (state === 'merged' ? (pull.closedAt ?? pull.updatedAt) : null),
  // A merge made with git alone has no author here.
  mergedBy: ({ state, pull }) => (state === 'merged' && pull.closedBy !== null ? author(pull.closedBy, false) : null),
  mergeCommit: ({ pull }) => (pull.mergeCommit === null ? null : { oid: pull.mergeCommit }),
  mergeable: ({ hasConflicts }) => (hasConflicts === null ? 'UNKNOWN' : hasConflicts ? 'CONFLICTING' : 'MERGEABLE'),
  mergeStateStatus: mergeState,
  reviewDecision: ({ review }) => REVIEW_DECISIONS[review],
  reviews: ({ pull }) => pull.reviews.map(describeReview),
  latestReviews: ({ pull }) => [...new Map(pull.reviews.map((one) => [one.author, one])).values()].map(describeReview),
  comments: ({ pull }) =>
    pull.comments.filter(({ path }) => path === undefined).map((one) => describeComment(one, pull)),
  statusCheckRollup: (view, forge) => view.checks.map((check) => describeCheck(view, check, forge)),
  additions: async (view, forge) => (await files(view, forge)).reduce((sum, one) => sum + one.additions, 0),
  deletions: async (view, forge) => (await files(view, forge)).reduce((sum, one) => sum + one.deletions, 0),
  changedFiles: async (view, forge) => (await files(view, forge)).length,
  files,
  commits,
  labels: ({ pull }, forge) => describeLabels(pull.labels, forge),
  assignees: ({ pull }) => pull.assignees.map((login) => ({ id: `U_${login}`, login, name: login })),
  reviewRequests: ({ pull }) => pull.reviewers.map((login) => ({ __typename: 'User', login })),
  projectItems: () => [],
  projectCards: () => [],
  reactionGroups: () => [],
  potentialMergeCommit: () => null,
  milestone: () => null,
  autoMergeRequest: () => null,
  isCrossRepository: () => false,
  maintainerCanModify: () => false,
  headRepository: (_, forge) => ({ id: '', name: forge.project.id }),
  headRepositoryOwner: () => ({ id: '', login: OWNER }),
  closingIssuesReferences: ({ pull }, forge) =>
    closedIssues(pull).map((number) => ({
      id: `I_${number}`,
      number,
      url: dashboardUrl(forge.context, forge.project.id, `issues/${number}`),
    })),
}

export const PR_FIELDS: readonly string[] = Object.keys(FIELDS)

export async function readFields(
  view: PullView,
  fields: readonly string[],
  forge: LocalForge,
): Promise<Record<string, unknown>> {
  const values = await Promise.all(fields.map(async (name) => [name, await FIELDS[name]!(view, forge)] as const))
  return Object.fromEntries(values)
}

const REVIEW_DECISIONS: Record<PullView['review'], string> = {
  approved: 'APPROVED',
  changes_requested: 'CHANGES_REQUESTED',
  pending: 'REVIEW_REQUIRED',
  none: '',
}

export function mergeState({ pull, state, ci, hasConflicts, review }: PullView): string {
  if (state !== 'open' || hasConflicts === null) return 'UNKNOWN'
  if (hasConflicts) return 'DIRTY'
  if (pull.draft) return 'DRAFT'
  if (review !== 'approved') return 'BLOCKED'
  return ci === 'passing' || ci === 'none' ? 'CLEAN' : 'UNSTABLE'
}

function describeLabels(names: readonly string[], forge: LocalForge): Array<Record<string, string>> {
  const described = names.length === 0 ? [] : createLabelStore(projectDirectory(forge.context, forge.project.id)).list()
  return names.map((name) => {
    const { color = PLAIN_COLOR, description = '' } = findLabel(described, name) ?? {}
    return { id: `LA_${name}`, name, color, description }
  })
}

function author(login: string, isBot: boolean): Record<string, unknown> {
  return { id: '', is_bot: isBot, login, name: login }
}

function describeReview(review: LocalPull['reviews'][number]): Record<string, unknown> {
  const { id, author: login, state, body, commit, submittedAt } = review
  return {
    id,
    author: { login },
    authorAssociation: 'MEMBER',
    body,
    state: state.toUpperCase(),
    submittedAt,
    commit: { oid: commit },
  }
}

function describeComment(comment: LocalPull['comments'][number], pull: LocalPull): Record<string, unknown> {
  const { id, author: login, body, createdAt } = comment
  return {
    id,
    author: { login },
    authorAssociation: 'MEMBER',
    body,
    createdAt,
    url: `${pull.url}#issuecomment-${numericId(id)}`,
  }
}

function describeCheck(view: PullView, check: PullView['checks'][number], forge: LocalForge): Record<string, unknown> {
  const { pull } = view
  const { name, status } = check
  const isOver = status === 'passed' || status === 'failed'
  const record = readCheckRecord(forge, check)
  return {
    __typename: 'CheckRun',
    name,
    workflowName: 'CI',
    status: isOver ? 'COMPLETED' : status === 'running' ? 'IN_PROGRESS' : 'QUEUED',
    conclusion: status === 'passed' ? 'SUCCESS' : status === 'failed' ? 'FAILURE' : '',
    detailsUrl: `${pull.url}/checks/${encodeURIComponent(name)}`,
    startedAt: record?.startedAt ?? '',
    completedAt: record?.finishedAt ?? '',
  }
}

async function files(
  view: PullView,
  forge: LocalForge,
): Promise<Array<{ path: string; additions: number; deletions: number }>> {
  const { diffPull } = await import('../../forge/pulls/diff-pull.ts')
  const listed = await diffPull(forge, view.pull, ['--numstat', '-z', '--no-renames'])
  return listed
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [added = '', deleted = '', path = ''] = line.split('\t')
      return { path, additions: Number(added) || 0, deletions: Number(deleted) || 0 }
    })
}

async function commits(view: PullView, forge: LocalForge): Promise<unknown[]> {
  const { listCommits } = await import('../../forge/pulls/list-commits.ts')
  return (await listCommits(forge, view.pull)).map(({ sha, subject, body, name, email, at }) => ({
    oid: sha,
    messageHeadline: subject,
    messageBody: body,
    committedDate: at,
    authoredDate: at,
    authors: [{ email, id: '', login: '', name }],
  }))
}
