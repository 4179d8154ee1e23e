// GitHub's GraphQL over the emulator's REST state: GitHub's own schema, executed by graphql-js. A query that the schema
// does not know is an error here as it is there. Unused fields are not made up.
import { readFileSync } from 'node:fs'
import { buildSchema, execute, GraphQLError, parse, validate } from 'graphql'
import { commitsOf, conflicts, timeOf, tipOf } from './bare-repository.mjs'

// The package exports no path to the schema itself, but it is next to its entry point.
const SDL = new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema'))

export function createGithubGraphql({ call, extra }) {
  let built
  return async ({ query, variables }, authorization) => {
    // At the first query: it takes a second, and half of the tests ask none.
    built ??= buildSchema(readFileSync(SDL, 'utf8'), { assumeValidSDL: true, noLocation: true })
    const schema = built
    const document = parse(query)
    const invalid = validate(schema, document)
    extra.queryErrors.push(...invalid.map(({ message }) => message))
    if (invalid.length > 0) return { status: 200, body: { errors: invalid.map(({ message }) => ({ message })) } }
    const world = { call: (method, path, body) => call(method, path, { authorization, body }), extra }
    const result = await execute({ schema, document, variableValues: variables, rootValue: root(world) })
    const errors = result.errors?.map(({ message, path, extensions }) => ({ message, path, type: extensions?.type }))
    return { status: 200, body: { data: result.data, ...(errors ? { errors } : {}) } }
  }
}

function root(world) {
  return {
    rateLimit: {
      cost: 1,
      limit: world.extra.rate.limit,
      remaining: Math.max(0, world.extra.rate.limit - world.extra.rate.used),
      resetAt: new Date(world.extra.rate.reset * 1000).toISOString(),
      used: world.extra.rate.used,
      nodeCount: 0,
    },
    viewer: async () => user((await world.call('GET', '/user')).body),
    repository: ({ owner, name }) => repository(world, owner, name),
    node: () => null,
    enqueuePullRequest: ({ input }) => enqueuePullRequest(world, input),
    createPullRequest: ({ input }) => createPullRequest(world, input),
    addPullRequestReviewThreadReply: ({ input }) => replyInThread(world, input),
    resolveReviewThread: ({ input }) => settleThread(world, input.threadId, true),
    unresolveReviewThread: ({ input }) => settleThread(world, input.threadId, false),
  }
}

/** The thread carries the path of its pull request: `PRRT_<owner>~<repo>~<number>~<first comment>`. */
function threadOf(id) {
  const [, owner, repo, number, first] = /^PRRT_([^~]+)~([^~]+)~(\d+)~(\d+)$/.exec(id) ?? []
  if (first === undefined) throw notFound(`Could not resolve to a node with the global id of '${id}'`)
  return { path: `/repos/${owner}/${repo}/pulls/${number}`, first: Number(first) }
}

async function replyInThread(world, { pullRequestReviewThreadId, body }) {
  const { path, first } = threadOf(pullRequestReviewThreadId)
  const { body: all } = await world.call('GET', `${path}/comments?per_page=100`)
  const place = all.find(({ id }) => id === first)
  const reply = { body, path: place.path, line: place.line ?? place.position, in_reply_to_id: first }
  const { status, body: said } = await world.call('POST', `${path}/comments`, reply)
  if (status !== 201) throw new GraphQLError(said.message ?? `answered ${status}`)
  return { comment: { id: said.node_id } }
}

function settleThread({ extra }, id, resolved) {
  const { first } = threadOf(id)
  if (resolved) extra.resolved.add(first)
  else extra.resolved.delete(first)
  return { thread: { id } }
}

function enqueuePullRequest({ extra }, { pullRequestId }) {
  if (extra.queued.has(pullRequestId)) throw new GraphQLError('Pull request is already in the merge queue')
  extra.queued.add(pullRequestId)
  extra.removals.delete(pullRequestId)
  return { mergeQueueEntry: { state: 'QUEUED' } }
}

async function repository(world, owner, name) {
  const { status, body: repo } = await world.call('GET', `/repos/${owner}/${name}`)
  if (status !== 200) throw notFound(`Could not resolve to a Repository with the name '${owner}/${name}'.`)
  const path = `/repos/${repo.full_name}`
  return {
    __typename: 'Repository',
    id: `R_${repo.full_name}`,
    name: repo.name,
    nameWithOwner: repo.full_name,
    url: `${world.extra.webUrl}/${repo.full_name}`,
    owner: { __typename: 'User', id: `U_${repo.owner.login}`, login: repo.owner.login },
    isPrivate: repo.private,
    isFork: repo.fork,
    parent: null,
    viewerPermission: 'ADMIN',
    hasIssuesEnabled: true,
    hasWikiEnabled: false,
    hasProjectsEnabled: false,
    description: null,
    mergeCommitAllowed: true,
    squashMergeAllowed: true,
    rebaseMergeAllowed: true,
    deleteBranchOnMerge: false,
    defaultBranchRef: { name: repo.default_branch, prefix: 'refs/heads/' },
    issueTemplates: [],
    pullRequestTemplates: [],
    mergeQueue: () => (world.extra.queues.has(repo.full_name) ? { id: 'MQ' } : null),
    pullRequest: ({ number }) => pullRequestByNumber(world, path, number),
    pullRequests: async ({ headRefName, states, first }) => {
      const { body } = await world.call('GET', `${path}/pulls?state=all&per_page=100`)
      const found = body
        .filter((pull) => headRefName == null || pull.head.ref === headRefName)
        .map((pull) => pullRequest(world, path, pull))
        .filter(({ state }) => states == null || states.includes(state))
        .sort((a, b) => b.number - a.number)
      return { totalCount: found.length, nodes: found.slice(0, first ?? 30), pageInfo: lastPage }
    },
    ref: async ({ qualifiedName }) => {
      const branch = qualifiedName.replace(/^refs\/heads\//, '')
      const bare = world.extra.bare.get(repo.full_name)
      const { status: there, body } = await world.call('GET', `${path}/branches/${branch}`)
      const sha = bare ? tipOf(bare, branch) : there === 200 ? body.commit.sha : undefined
      if (sha === undefined) return null
      const history = bare ? commitsOf(bare, branch) : [sha]
      return {
        name: branch,
        associatedPullRequests: async ({ states, first }) => {
          const { body: pulls } = await world.call('GET', `${path}/pulls?state=all&per_page=100`)
          const found = pulls
            .filter(({ head }) => head.ref === branch && head.repo?.full_name === repo.full_name)
            .map((pull) => pullRequest(world, path, pull))
            .filter(({ state }) => states == null || states.includes(state))
            .sort((a, b) => b.number - a.number)
          return { totalCount: found.length, nodes: found.slice(0, first), pageInfo: lastPage }
        },
        target: {
          ...commit(world, sha),
          history: ({ first }) => ({ nodes: history.slice(0, first).map((oid) => commit(world, oid)) }),
        },
      }
    },
    object: ({ oid }) => commit(world, oid),
  }
}

async function pullRequestByNumber(world, path, number) {
  const asked = world.extra.pulls.get(`${path.slice('/repos/'.length)}#${number}`)
  if (asked?.error) throw new GraphQLError(asked.error.message, { extensions: { type: asked.error.type } })
  const { status, body } = await world.call('GET', `${path}/pulls/${number}`)
  if (status !== 200) throw notFound(`Could not resolve to a PullRequest with the number of ${number}.`)
  return pullRequest(world, path, body)
}

function pullRequest(world, path, pull) {
  const asked = world.extra.pulls.get(`${pull.base.repo.full_name}#${pull.number}`) ?? {}
  const bare = world.extra.bare.get(pull.base.repo.full_name)
  const mergeable =
    asked.mergeable ?? (bare && conflicts(bare, pull.head.sha, pull.base.sha) ? 'CONFLICTING' : 'MERGEABLE')
  const mergeStateStatus = asked.mergeStateStatus ?? MERGE_STATES[mergeable]
  const reviews = async () => (await world.call('GET', `${path}/pulls/${pull.number}/reviews?per_page=100`)).body
  return {
    __typename: 'PullRequest',
    id: pull.node_id,
    number: pull.number,
    url: pull.html_url,
    title: pull.title,
    body: pull.body ?? '',
    state: pull.merged_at ? 'MERGED' : pull.state.toUpperCase(),
    closed: pull.state === 'closed',
    isDraft: pull.draft,
    isCrossRepository: pull.head.repo?.full_name !== pull.base.repo.full_name,
    maintainerCanModify: true,
    createdAt: pull.created_at,
    updatedAt: pull.updated_at,
    closedAt: pull.closed_at ?? null,
    mergeCommit: pull.merged_at && pull.merge_commit_sha ? { oid: pull.merge_commit_sha } : null,
    assignees: { nodes: (pull.assignees ?? []).map((one) => user(one)) },
    headRefName: pull.head.ref,
    headRefOid: pull.head.sha,
    baseRefName: pull.base.ref,
    headRepository: pull.head.repo ? { id: `R_${pull.head.repo.full_name}`, name: pull.head.repo.name } : null,
    headRepositoryOwner: pull.head.repo ? user(pull.head.repo.owner) : null,
    mergeable,
    mergeStateStatus,
    reviewDecision: asked.reviewDecision ?? null,
    reviewRequests: { totalCount: pull.requested_reviewers.length, nodes: [] },
    labels: { nodes: (asked.labels ?? []).map((name) => ({ name })) },
    mergeQueueEntry: world.extra.queued.has(pull.node_id) ? { state: 'QUEUED' } : null,
    timelineItems: ({ itemTypes = [] }) => ({
      nodes: itemTypes.includes('BASE_REF_CHANGED_EVENT') ? (asked.retargeted ?? []) : removals(world, pull),
    }),
    author: user(pull.user),
    commits: { totalCount: 1, nodes: [{ commit: commit(world, pull.head.sha, asked.checksError) }] },
    reviews: async () => ({ nodes: (await reviews()).map((one) => review(world, one)) }),
    latestOpinionatedReviews: async ({ writersOnly }) => ({
      nodes: latestOpinions(await reviews(), writersOnly).map((one) => review(world, one)),
    }),
    comments: (args) => conversation(world, path, pull, args),
    reviewThreads: (args) => threads(world, path, pull, args),
  }
}

/** Beside changes of the base the only events of the timeline that are known here. */
function removals({ extra }, pull) {
  const removal = extra.removals.get(pull.node_id)
  return removal ? [{ __typename: 'RemovedFromMergeQueueEvent', ...removal }] : []
}

const MERGE_STATES = { MERGEABLE: 'CLEAN', CONFLICTING: 'DIRTY', UNKNOWN: 'UNKNOWN' }
const lastPage = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null }

function commit(world, oid, error) {
  return {
    __typename: 'Commit',
    id: `C_${oid}`,
    oid,
    committedDate: () => committedAt(world, oid),
    statusCheckRollup: () => {
      if (error) throw new GraphQLError(error, { extensions: { type: 'FORBIDDEN' } })
      return rollup(world, oid)
    },
  }
}

function rollup(world, oid) {
  const runs = [...world.extra.checkRuns.values()].filter(({ head_sha }) => head_sha === oid)
  const contexts = [
    // Of several runs with one name the latest counts.
    ...[...new Map(runs.map((run) => [run.name, run])).values()].map((run) => ({
      __typename: 'CheckRun',
      id: run.node_id,
      databaseId: run.id,
      name: run.name,
      status: run.status.toUpperCase(),
      conclusion: run.conclusion?.toUpperCase() ?? null,
      detailsUrl: run.details_url,
      startedAt: run.started_at,
      completedAt: run.completed_at,
      checkSuite: { id: 'CS', workflowRun: null },
    })),
    ...(world.extra.statuses.get(oid) ?? []).map((status) => ({
      __typename: 'StatusContext',
      id: `SC_${oid}_${status.context}`,
      context: status.context,
      state: status.state.toUpperCase(),
      targetUrl: status.target_url,
      createdAt: new Date(0).toISOString(),
    })),
  ]
  if (contexts.length === 0) return null
  const words = contexts.map((one) => (one.__typename === 'CheckRun' ? (one.conclusion ?? 'PENDING') : one.state))
  const failed = words.some((word) => ['FAILURE', 'ERROR', 'TIMED_OUT', 'CANCELLED'].includes(word))
  const state = failed ? 'FAILURE' : words.includes('PENDING') ? 'PENDING' : 'SUCCESS'
  return { id: `SCR_${oid}`, state, contexts: (args) => pageOf(contexts, args) }
}

/** The time of a real commit; the emulator's own have none that means anything. */
function committedAt(world, oid) {
  const times = [...world.extra.bare.values()].map((bare) => timeOf(bare, oid)).filter(Boolean)
  return times[0] ?? new Date(0).toISOString()
}

async function conversation(world, path, pull, { last = 30 }) {
  const { body } = await world.call('GET', `${path}/issues/${pull.number}/comments?per_page=100`)
  const nodes = body.slice(-last).map((one) => ({
    id: one.node_id,
    url: one.html_url,
    body: one.body,
    createdAt: one.created_at,
    authorAssociation: one.author_association,
    isMinimized: false,
    author: actor(world, one.user),
  }))
  return { totalCount: body.length, nodes, pageInfo: lastPage }
}

/** One thread for each comment that answers none, with its answers. */
async function threads(world, path, pull, args) {
  const { body } = await world.call('GET', `${path}/pulls/${pull.number}/comments?per_page=100`)
  const firsts = body.filter(({ in_reply_to_id }) => in_reply_to_id == null)
  const all = firsts.map((first) => ({
    id: `PRRT_${path.slice('/repos/'.length).replace('/', '~')}~${pull.number}~${first.id}`,
    isOutdated: false,
    startLine: first.start_line ?? null,
    originalStartLine: first.start_line ?? null,
    isResolved: world.extra.resolved.has(first.id),
    path: first.path,
    line: first.line ?? first.position,
    originalLine: first.line ?? first.position,
    comments: {
      nodes: [first, ...body.filter(({ in_reply_to_id }) => in_reply_to_id === first.id)].map((one) => ({
        id: one.node_id,
        url: one.html_url,
        body: one.body,
        createdAt: one.created_at,
        authorAssociation: one.author_association,
        author: actor(world, one.user),
        pullRequestReview: one.pull_request_review_id ? { id: `PRR_${one.pull_request_review_id}` } : null,
      })),
    },
  }))
  return pageOf(all, args)
}

function pageOf(all, { first = 30, after }) {
  const from = after == null ? 0 : Number(after)
  const to = Math.min(from + first, all.length)
  return {
    totalCount: all.length,
    nodes: all.slice(from, to),
    pageInfo: { ...lastPage, hasNextPage: to < all.length, endCursor: to > from ? String(to) : null },
  }
}

function review(world, one) {
  return {
    id: `PRR_${one.id}`,
    state: one.state,
    body: one.body,
    submittedAt: one.submitted_at,
    authorAssociation: one.author_association,
    author: actor(world, one.user),
    commit: { oid: one.commit_id },
  }
}

function latestOpinions(reviews, writersOnly) {
  const latest = new Map()
  for (const one of reviews) {
    const counts = ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(one.state)
    if (counts && (!writersOnly || MEMBERS.includes(one.author_association))) latest.set(one.user.login, one)
  }
  return [...latest.values()].filter(({ state }) => state !== 'DISMISSED')
}

const MEMBERS = ['OWNER', 'MEMBER', 'COLLABORATOR']

function actor(world, one) {
  if (one === null) return null
  return { ...user(one), __typename: world.extra.bots.has(one.login) ? 'Bot' : 'User' }
}

function user(one) {
  return { __typename: 'User', id: one.node_id ?? `U_${one.login}`, login: one.login, name: one.name ?? null }
}

async function createPullRequest(world, input) {
  const path = `/repos/${input.repositoryId.slice(2)}`
  const { status, body } = await world.call('POST', `${path}/pulls`, {
    title: input.title,
    body: input.body ?? '',
    head: input.headRefName,
    base: input.baseRefName,
    draft: input.draft ?? false,
  })
  if (status !== 201) throw new GraphQLError(body.message)
  return { pullRequest: pullRequest(world, path, body) }
}

function notFound(message) {
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } })
}
