// What GitHub's REST API answers: tables over the descriptions, with the fields of its documentation.

import type { Gh } from '../open-gh.ts'
import { OWNER } from '../which-repo.ts'
import { apiUrl, describeRepo, describeUser } from './names.ts'
import { always, type Node, readField, same, snake, type Table, tabulate, within } from './node.ts'

const USER_REST: Table = {
  login: 'login',
  id: 'databaseId',
  node_id: 'id',
  type: '__typename',
  ...always({ site_admin: false }),
  avatar_url: 'avatarUrl',
  url: 'url',
  html_url: 'url',
}

export const LABEL_REST: Table = {
  id: 'databaseId',
  node_id: 'id',
  ...same('url name color description'),
  default: 'isDefault',
}

export const REPO_REST: Table = {
  id: 'databaseId',
  node_id: 'id',
  name: 'name',
  full_name: 'nameWithOwner',
  owner: () => ({ ...owner(), type: 'Organization' }),
  private: 'isPrivate',
  visibility: lower('visibility'),
  html_url: 'url',
  url: at(() => ''),
  description: 'description',
  fork: 'isFork',
  archived: 'isArchived',
  disabled: 'isDisabled',
  default_branch: 'defaultBranch',
  clone_url: 'sshUrl',
  ssh_url: 'sshUrl',
  git_url: 'sshUrl',
  has_issues: 'hasIssuesEnabled',
  has_projects: 'hasProjectsEnabled',
  has_wiki: 'hasWikiEnabled',
  allow_squash_merge: 'squashMergeAllowed',
  allow_merge_commit: 'mergeCommitAllowed',
  allow_rebase_merge: 'rebaseMergeAllowed',
  allow_auto_merge: 'autoMergeAllowed',
  delete_branch_on_merge: 'deleteBranchOnMerge',
  ...always({ permissions: { admin: false, maintain: false, push: true, triage: true, pull: true } }),
}

/** What issues and pull requests have in common; a pull request is an issue too, as on GitHub. */
const COMMON: Table = {
  id: 'databaseId',
  node_id: 'id',
  ...snake('number title body'),
  state: ({ closed }) => (closed ? 'closed' : 'open'),
  user: within('author', USER_REST),
  ...snake('locked author_association milestone created_at updated_at closed_at'),
  labels: within('labels', LABEL_REST),
  assignee: async (node) => (await users(node, 'assignees'))[0] ?? null,
  assignees: (node) => users(node, 'assignees'),
  html_url: 'url',
  comments_url: at(({ number }) => `issues/${number}/comments`),
}

export const ISSUE_REST: Table = {
  ...COMMON,
  state_reason: async (node) => ((await readField(node, 'stateReason')) as string | null)?.toLowerCase() ?? null,
  comments: count('comments'),
  url: at(({ number }) => `issues/${number}`),
  labels_url: at(({ number }) => `issues/${number}/labels`),
}

export const PULL_AS_ISSUE_REST: Table = {
  ...ISSUE_REST,
  state_reason: () => null,
  draft: 'isDraft',
  pull_request: (node, gh) => ({
    url: apiUrl(gh!, `pulls/${node.number}`),
    html_url: node.url,
    merged_at: node.mergedAt,
  }),
}

export const PULL_REST: Table = {
  ...COMMON,
  draft: 'isDraft',
  requested_reviewers: async (node) =>
    ((await readField(node, 'reviewRequests')) as Node[]).map((one) => user(one.requestedReviewer as Node)),
  ...always({ requested_teams: [] }),
  auto_merge: 'autoMergeRequest',
  head: (node, gh) => side(gh!, node.headRefName, node.headRefOid),
  base: (node, gh) => side(gh!, node.baseRefName, node.baseRefOid),
  merged_at: 'mergedAt',
  merge_commit_sha: ({ mergeCommit }) => (mergeCommit as Node | null)?.oid ?? null,
  url: at(({ number }) => `pulls/${number}`),
  issue_url: at(({ number }) => `issues/${number}`),
  commits_url: at(({ number }) => `pulls/${number}/commits`),
  review_comments_url: at(({ number }) => `pulls/${number}/comments`),
  statuses_url: at(({ headRefOid }) => `commits/${headRefOid}/status`),
}

/** With what GitHub counts only for one pull request at a time. */
export const ONE_PULL_REST: Table = {
  ...PULL_REST,
  merged: 'merged',
  mergeable: ({ closed, mergeable }) => (closed || mergeable === 'UNKNOWN' ? null : mergeable === 'MERGEABLE'),
  mergeable_state: lower('mergeStateStatus'),
  merged_by: within('mergedBy', USER_REST),
  ...snake('maintainer_can_modify additions deletions changed_files'),
  comments: count('comments'),
  review_comments: async (node) => Number(node.totalCommentsCount) - (await sizeOf(node, 'comments')),
  commits: count('commits'),
}

export const FILE_REST: Table = {
  sha: 'sha',
  filename: 'path',
  ...same('status additions deletions'),
  changes: ({ additions, deletions }) => Number(additions) + Number(deletions),
  patch: ({ patch }) => patch || undefined,
  previous_filename: 'previousPath',
}

/** Of a commit in its pull request. */
export const COMMIT_REST: Table = {
  sha: 'oid',
  node_id: 'id',
  commit: ({ message, author, committer }) => ({ message, author: signature(author), committer: signature(committer) }),
  author: ({ author }) => user(describeUser(String((author as Node).name))),
  url: at(({ oid }) => `commits/${oid}`),
}

const WRITTEN: Table = {
  id: 'databaseId',
  node_id: 'id',
  user: within('author', USER_REST),
  ...snake('author_association body'),
  html_url: 'url',
}

/** In the conversation of an issue or a pull request. */
export const COMMENT_REST: Table = {
  ...WRITTEN,
  ...snake('created_at updated_at'),
  url: at(({ databaseId }) => `issues/comments/${databaseId}`),
  issue_url: at(({ pullRequest, issue }) => `issues/${((pullRequest ?? issue) as Node).number}`),
}

const pullUrl = at(({ pullRequest }) => `pulls/${(pullRequest as Node).number}`)

export const LINE_COMMENT_REST: Table = {
  ...WRITTEN,
  pull_request_review_id: ({ pullRequestReview }) => (pullRequestReview as Node | null)?.databaseId ?? null,
  in_reply_to_id: ({ replyTo }) => (replyTo as Node | null)?.databaseId,
  ...snake('path line original_line start_line diff_hunk created_at updated_at'),
  ...always({ side: 'RIGHT' }),
  subject_type: lower('subjectType'),
  commit_id: ({ commit }) => (commit as Node).oid,
  original_commit_id: ({ originalCommit }) => (originalCommit as Node).oid,
  url: at(({ databaseId }) => `pulls/comments/${databaseId}`),
  pull_request_url: pullUrl,
}

export const REVIEW_REST: Table = {
  ...WRITTEN,
  ...snake('state submitted_at'),
  commit_id: ({ commit }) => (commit as Node).oid,
  pull_request_url: pullUrl,
}

export const CHECK_REST: Table = {
  id: 'databaseId',
  node_id: 'id',
  ...snake('name head_sha started_at completed_at details_url'),
  status: lower('status'),
  conclusion: ({ conclusion }) => (conclusion === null ? null : String(conclusion).toLowerCase()),
  html_url: 'url',
  url: at(({ databaseId }) => `check-runs/${databaseId}`),
  output: ({ title }) => ({ title, summary: null, text: null, annotations_count: 0 }),
  ...always({ app: { slug: 'ao', name: 'ao' } }),
}

export const JOB_REST: Table = {
  ...CHECK_REST,
  ...snake('run_id head_branch'),
  ...always({ workflow_name: 'CI', steps: [] }),
}

export const RUN_REST: Table = {
  id: 'databaseId',
  node_id: 'id',
  name: 'name',
  workflow_id: 'workflowDatabaseId',
  run_number: 'number',
  run_attempt: 'attempt',
  ...snake('display_title event head_branch head_sha status conclusion created_at updated_at'),
  html_url: 'url',
  url: at(({ number }) => `actions/runs/${number}`),
  jobs_url: at(({ number }) => `actions/runs/${number}/jobs`),
  pull_requests: ({ number }, gh) => [{ number, url: apiUrl(gh!, `pulls/${number}`) }],
}

export function user(node: Node): Node {
  return Object.fromEntries(
    Object.entries(USER_REST).map(([key, row]) => [key, typeof row === 'string' ? node[row] : row(node, null)]),
  )
}

function owner(): Node {
  return user(describeUser(OWNER))
}

async function users(node: Node, name: string): Promise<Node[]> {
  return ((await readField(node, name)) as Node[]).map(user)
}

async function side(gh: Gh, ref: unknown, sha: unknown): Promise<Node> {
  return { label: `${OWNER}:${ref}`, ref, sha, user: owner(), repo: await tabulate(describeRepo(gh), REPO_REST, gh) }
}

function signature(person: unknown): Node {
  const { name, email, date } = person as Node
  return { name, email, date }
}

function at(path: (node: Node) => string): Table[string] {
  return (node, gh) => apiUrl(gh!, path(node))
}

function lower(name: string): Table[string] {
  return (node) => String(node[name]).toLowerCase()
}

async function sizeOf(node: Node, name: string): Promise<number> {
  return ((await readField(node, name)) as unknown[]).length
}

function count(name: string): Table[string] {
  return (node) => sizeOf(node, name)
}
