// What `gh … --json` prints: tables over the descriptions, with gh's names and gh's ideas of nothing.

import { OWNER } from '../which-repo.ts'
import { always, type Node, readField, same, type Table, within } from './node.ts'

const LOGIN = same('login')
const PERSON: Table = { ...always({ id: '' }), is_bot: ({ __typename }) => __typename === 'Bot', ...same('login name') }
const MEMBER = same('id login name')
const REVIEW: Table = {
  id: 'localId',
  author: within('author', LOGIN),
  ...same('authorAssociation body state submittedAt'),
  commit: within('commit', same('oid')),
}
const COMMENT: Table = {
  id: 'localId',
  author: within('author', LOGIN),
  ...same('authorAssociation body createdAt url'),
}
const CHECK: Table = {
  ...same('__typename name status detailsUrl'),
  ...always({ workflowName: 'CI' }),
  conclusion: orBlank('conclusion'),
  startedAt: orBlank('startedAt'),
  completedAt: orBlank('completedAt'),
}
const COMMIT: Table = {
  ...same('oid messageHeadline messageBody committedDate authoredDate'),
  authors: ({ author }) => {
    const { email, name } = author as Node
    return [{ email, id: '', login: '', name }]
  },
}

export const PULL_JSON: Table = {
  ...same('id number title body url state closed isDraft headRefName headRefOid baseRefName baseRefOid'),
  ...same('createdAt updatedAt closedAt mergedAt mergeable mergeStateStatus additions deletions changedFiles'),
  ...same('milestone autoMergeRequest isCrossRepository maintainerCanModify'),
  author: within('author', PERSON),
  mergedBy: within('mergedBy', PERSON),
  mergeCommit: within('mergeCommit', same('oid')),
  reviewDecision: orBlank('reviewDecision'),
  reviews: within('reviews', REVIEW),
  latestReviews: within('latestReviews', REVIEW),
  comments: within('comments', COMMENT),
  statusCheckRollup: within('checkRuns', CHECK),
  files: within('files', same('path additions deletions')),
  commits: inner('commits', 'commit', COMMIT),
  labels: within('labels', same('id name color description')),
  assignees: within('assignees', MEMBER),
  reviewRequests: inner('reviewRequests', 'requestedReviewer', same('__typename login')),
  closingIssuesReferences: 'closes',
  headRepository: ({ headRepository }) => ({ id: '', name: (headRepository as Node).name }),
  headRepositoryOwner: () => ({ id: '', login: OWNER }),
  ...always({ projectItems: [], projectCards: [], reactionGroups: [], potentialMergeCommit: null }),
}

export const ISSUE_JSON: Table = {
  ...same('id number title body url state closed updatedAt closedAt milestone'),
  stateReason: orBlank('stateReason'),
  createdAt: orBlank('createdAt'),
  author: within('author', LOGIN),
  labels: ({ labelNames }) =>
    (labelNames as string[]).map((name) => ({ id: `LA_${name}`, name, description: '', color: 'ededed' })),
  assignees: within('assignees', MEMBER),
  comments: within('comments', { ...same('id body createdAt url'), author: within('author', LOGIN) }),
  ...always({ projectItems: [], projectCards: [], reactionGroups: [], isPinned: false }),
}

const JOB: Table = {
  ...same('databaseId name startedAt completedAt url'),
  status: lower('status'),
  conclusion: ({ conclusion }) => String(conclusion ?? '').toLowerCase(),
  ...always({ steps: [] }),
}

export const RUN_JSON: Table = {
  ...same('databaseId number attempt name workflowDatabaseId displayTitle event headBranch headSha status url'),
  workflowName: 'name',
  conclusion: orBlank('conclusion'),
  createdAt: 'createdAt',
  startedAt: 'createdAt',
  updatedAt: 'updatedAt',
  jobs: within('jobs', JOB),
}

/** `gh pr checks --json`. */
export const CHECK_JSON: Table = {
  ...same('name bucket'),
  state: ({ conclusion, status }) => conclusion ?? status,
  link: 'url',
  startedAt: orBlank('startedAt'),
  completedAt: orBlank('completedAt'),
  description: orBlank('title'),
  ...always({ event: 'pull_request', workflow: 'CI' }),
}

export const LABEL_JSON: Table = {
  ...same('id name color description isDefault'),
  ...always({ createdAt: null, updatedAt: null }),
  url: 'page',
}

export const REPO_JSON: Table = {
  ...same('id name nameWithOwner description url sshUrl isPrivate isFork isEmpty visibility hasIssuesEnabled'),
  ...same('mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed'),
  ...always({ owner: { id: '', login: OWNER }, viewerPermission: 'ADMIN' }),
  defaultBranchRef: ({ defaultBranch }) => ({ name: defaultBranch }),
}

/** gh writes '' where GraphQL has null. */
function orBlank(name: string) {
  return async (node: Node) => (await readField(node, name)) ?? ''
}

function lower(name: string) {
  return (node: Node) => String(node[name]).toLowerCase()
}

/** A list of things that are wrapped in another. */
function inner(name: string, wrapped: string, table: Table): Table[string] {
  const read = within('items', table)
  return async (node, gh) => {
    const items = ((await readField(node, name)) as Node[]).map((one) => one[wrapped])
    return typeof read === 'string' ? items : read({ items }, gh)
  }
}
