// The GraphQL that reads pull requests: one query for many of a repository. Only builds text; nothing is sent.

const CONTEXTS_PAGE = 100
const THREADS_PAGE = 40
/** The end of the conversation is enough: older parts have been answered by a commit since, or never will be. */
const COMMENTS = 30

/** One target in a query. Everything from outside is passed in variables. */
export type Target = { number: number } | { branch: string }

const CONTEXTS = `
fragment Contexts on StatusCheckRollupContextConnection {
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on CheckRun { databaseId name status conclusion detailsUrl startedAt completedAt }
    ... on StatusContext { id context state targetUrl }
  }
}`

const THREADS = `
fragment Threads on PullRequestReviewThreadConnection {
  pageInfo { hasNextPage endCursor }
  nodes {
    id isResolved isOutdated path startLine originalStartLine line originalLine
    comments(first: 20) {
      nodes {
        id url body createdAt authorAssociation
        author { __typename login }
        pullRequestReview { id }
      }
    }
  }
}`

const PULL_REQUEST = `
fragment PullRequest on PullRequest {
  number url title body state isDraft createdAt updatedAt closedAt
  mergeCommit { oid }
  assignees(first: 20) { nodes { login } }
  headRefName headRefOid baseRefName
  mergeable mergeStateStatus reviewDecision
  reviewRequests(first: 20) {
    totalCount
    nodes { requestedReviewer { __typename ... on User { login } ... on Team { slug } } }
  }
  labels(first: 50) { nodes { name } }
  author { __typename login }
  comments(last: ${COMMENTS}) {
    nodes {
      id url body createdAt authorAssociation isMinimized
      author { __typename login }
    }
  }
  commits(last: 1) {
    nodes { commit { oid committedDate statusCheckRollup { state contexts(first: ${CONTEXTS_PAGE}) { ...Contexts } } } }
  }
  latestOpinionatedReviews(first: 30, writersOnly: true) { nodes { state submittedAt commit { oid } } }
  baseChanges: timelineItems(
    last: 1
    itemTypes: [BASE_REF_CHANGED_EVENT, BASE_REF_FORCE_PUSHED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT]
  ) {
    nodes {
      ... on BaseRefChangedEvent { createdAt }
      ... on BaseRefForcePushedEvent { createdAt }
      ... on AutomaticBaseChangeSucceededEvent { createdAt }
    }
  }
  reviews(last: 50) {
    nodes {
      id state body submittedAt authorAssociation
      author { __typename login }
      commit { oid }
    }
  }
  reviewThreads(first: ${THREADS_PAGE}) { ...Threads }
}`

/** Its last commits: right after a push the newest has no results yet. */
const BASE = `
fragment Base on Ref {
  target {
    ... on Commit {
      history(first: 5) { nodes { oid statusCheckRollup { state contexts(first: ${CONTEXTS_PAGE}) { ...Contexts } } } }
    }
  }
}`

/**
 * `t0`, `t1`, … are the targets, `b0`, … the base branches. A branch only finds its pull request, which is read by number.
 */
export function pullRequestsQuery(
  targets: readonly Target[],
  bases: readonly string[],
): { query: string; variables: Record<string, unknown> } {
  const variables: Record<string, unknown> = {}
  const declared: string[] = []
  const declare = (name: string, type: string, value: unknown) => {
    declared.push(`$${name}: ${type}`)
    variables[name] = value
  }
  const fields = targets.map((target, index) => {
    if ('number' in target) {
      declare(`n${index}`, 'Int!', target.number)
      return `t${index}: pullRequest(number: $n${index}) { ...PullRequest }`
    }
    // Of the repository's own branch: by name alone, forks could have more of them than a page holds.
    declare(`h${index}`, 'String!', `refs/heads/${target.branch}`)
    return `t${index}: ref(qualifiedName: $h${index}) { associatedPullRequests(states: [OPEN], first: 20, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { number isCrossRepository } } }`
  })
  for (const [index, base] of bases.entries()) {
    declare(`r${index}`, 'String!', `refs/heads/${base}`)
    fields.push(`b${index}: ref(qualifiedName: $r${index}) { ...Base }`)
  }
  const readsPullRequests = targets.some((target) => 'number' in target)
  const fragments = [
    ...(readsPullRequests ? [PULL_REQUEST, THREADS] : []),
    ...(bases.length > 0 ? [BASE] : []),
    ...(readsPullRequests || bases.length > 0 ? [CONTEXTS] : []),
  ]
  return { query: inRepository('PullRequests', { declared, fields, fragments }), variables }
}

/** The next page of a commit's checks. By commit: the head may move between two pages. */
export const CONTEXTS_QUERY = inRepository('MoreChecks', {
  declared: ['$oid: GitObjectID!', '$after: String!'],
  fields: [
    `object(oid: $oid) { ... on Commit { statusCheckRollup { contexts(first: ${CONTEXTS_PAGE}, after: $after) { ...Contexts } } } }`,
  ],
  fragments: [CONTEXTS],
})

/** All checks of a commit, whoever has it as a head. */
export const COMMIT_QUERY = inRepository('CommitChecks', {
  declared: ['$oid: GitObjectID!'],
  fields: [
    `object(oid: $oid) { ... on Commit { oid statusCheckRollup { state contexts(first: ${CONTEXTS_PAGE}) { ...Contexts } } } }`,
  ],
  fragments: [CONTEXTS],
})

export const THREADS_QUERY = inRepository('MoreThreads', {
  declared: ['$number: Int!', '$after: String!'],
  fields: [`pullRequest(number: $number) { reviewThreads(first: ${THREADS_PAGE}, after: $after) { ...Threads } }`],
  fragments: [THREADS],
})

function inRepository(name: string, parts: { declared: string[]; fields: string[]; fragments: string[] }): string {
  const declared = ['$owner: String!', '$repo: String!', ...parts.declared].join(', ')
  return [
    `query ${name}(${declared}) {`,
    '  rateLimit { cost limit remaining resetAt }',
    '  repository(owner: $owner, name: $repo) {',
    ...parts.fields.map((field) => `    ${field}`),
    '  }',
    '}',
    ...parts.fragments,
  ].join('\n')
}
