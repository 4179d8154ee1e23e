// Forgejo for tests, as a process of its own: repositories, issues, labels, pull requests, statuses, reviews and Actions
// logs in memory, in the shapes that Forgejo's API documentation shows. Commits come from a real bare repository.
import { createHash } from 'node:crypto'
import { conflicts, isInside, mergeInBare, timeOf, tipOf } from './bare-repository.mjs'
import { createForgeServer, listen } from './serve.mjs'

const USERS = ['acme', 'maria', 'outsider'].map((login, n) => ({ id: n + 1, login, username: login }))
const PERMISSIONS = { acme: 'owner', maria: 'write', outsider: 'read' }
const repositories = new Map()
let webUrl = ''
let ids = 1000
let clock = Date.now()

listen(createForgeServer({ answer, control }), {}, (url) => {
  webUrl = url
  return { url }
})

async function answer(request) {
  const token = /^(?:token|Bearer) (token-\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  const me = USERS.find(({ login }) => `token-${login}` === token)
  if (!me) return { status: 401, body: { message: 'invalid username, password or token' } }
  const path = request.path.replace(/^\/api\/v1/, '')
  const body = request.body.length > 0 ? JSON.parse(request.body.toString()) : {}
  if (path === '/user') return ok(me)
  for (const [method, pattern, handle] of ROUTES) {
    const match = method === request.method ? new RegExp(`^/repos/(?<name>[^/]+/[^/]+)${pattern}$`).exec(path) : null
    if (!match) continue
    const repo = repositories.get(match.groups.name)
    return repo ? handle({ repo, me, body, search: request.search, ...match.groups }) : notFound()
  }
  return notFound()
}

const N = String.raw`/(?<number>\d+)`
const ROUTES = [
  ['GET', '', ({ repo, me }) => ok({ full_name: repo.name, permissions: permissionsOf(me) })],
  ['GET', '/collaborators/(?<login>[^/]+)/permission', permission],
  ['GET', '/collaborators/(?<login>[^/]+)', ({ login }) => (login === 'maria' ? { status: 204 } : notFound())],
  ['GET', '/labels', ({ repo, search }) => ok(pageOf(repo.labels, search))],
  ['POST', '/labels', ({ repo, body }) => created(addLabel(repo, body.name))],
  ['GET', '/issues', listIssues],
  ['POST', '/issues', createIssue],
  ['GET', `/issues${N}`, ({ repo, number }) => one(repo.items, number, ok)],
  ['PATCH', `/issues${N}`, changeIssue],
  [
    'GET',
    `/issues${N}/comments`,
    ({ repo, number }) => one(repo.items, number, (item) => ok(repo.comments.get(item) ?? [])),
  ],
  [
    'GET',
    `/issues${N}/timeline`,
    ({ repo, number, search }) =>
      one(repo.pulls, number, ({ events = [] }) =>
        ok(
          pageOf(
            events.filter(({ created_at }) => created_at >= search.get('since')),
            search,
          ),
        ),
      ),
  ],
  ['POST', `/issues${N}/comments`, addComment],
  ['GET', '/issues/comments', listComments],
  ['PATCH', '/issues/comments/(?<comment>\\d+)', editComment],
  [
    'GET',
    `/issues${N}/dependencies`,
    ({ repo, number, search }) => one(repo.items, number, (item) => ok(pageOf(item.needed ?? [], search))),
  ],
  [
    'POST',
    `/issues${N}/dependencies`,
    ({ repo, number, body }) =>
      one(repo.items, number, (item) =>
        one(repositories.get(`${body.owner}/${body.repo}`)?.items ?? repo.items, body.index, (other) => {
          const { needed: _, ...shown } = other
          item.needed = [...(item.needed ?? []), shown]
          return created(shown)
        }),
      ),
  ],
  ['POST', `/issues${N}/labels`, addLabels],
  ['DELETE', `/issues${N}/labels/(?<label>\\d+)`, removeLabel],
  [
    'GET',
    '/branches/(?<branch>[^/]+)',
    ({ repo, branch }) => ok({ name: branch, protected: repo.isProtected ?? false, user_can_merge: true }),
  ],
  ['GET', '/pulls', listPulls],
  ['POST', '/pulls', createPull],
  ['GET', `/pulls${N}`, ({ repo, number }) => one(repo.pulls, number, (pull) => ok(shown(repo, pull)))],
  ['PATCH', `/pulls${N}`, changePull],
  ['POST', `/pulls${N}/merge`, mergePull],
  [
    'GET',
    `/pulls${N}/reviews`,
    ({ repo, number, search }) => one(repo.pulls, number, (pull) => ok(pageOf(pull.reviews.map(bare), search))),
  ],
  ['POST', `/pulls${N}/reviews`, addReview],
  ['GET', `/pulls${N}/reviews/(?<review>\\d+)/comments`, reviewComments],
  ['POST', `/pulls${N}/reviews/(?<review>\\d+)/comments`, addReviewComment],
  ['GET', '/commits/(?<ref>.+)/statuses', statuses],
  ['POST', '/statuses/(?<sha>\\w+)', addStatus],
  ['GET', '/git/commits/(?<sha>\\w+)', ({ repo, sha }) => ok({ sha, created: timeOf(repo.bare, sha) })],
  [
    'GET',
    '/actions/runs',
    ({ repo, search }) => ok({ workflow_runs: repo.runs.filter((run) => run.head_sha === search.get('head_sha')) }),
  ],
  [
    'GET',
    '/actions/runs/(?<run>\\d+)/jobs',
    ({ repo, run }) => ok({ jobs: repo.runs.find(({ id }) => id === Number(run))?.jobs ?? [] }),
  ],
  [
    'GET',
    '/actions/jobs/(?<job>\\d+)/logs',
    ({ repo, job }) => ({ status: 200, body: repo.logs.get(Number(job)) ?? '' }),
  ],
]

async function control({ op, ...given }) {
  if (op === 'repository') {
    const { name, bare: path } = given
    repositories.set(name, {
      name,
      bare: path,
      labels: [],
      items: [],
      pulls: [],
      comments: new Map(),
      statuses: [],
      runs: [],
      logs: new Map(),
    })
    return
  }
  const repo = repositories.get(given.repository)
  if (op === 'log') {
    const id = ids++
    repo.logs.set(id, given.log)
    repo.runs.push({ id: ids++, head_sha: given.sha, jobs: [{ id, name: given.name, html_url: '' }] })
  } else if (op === 'labels') {
    repo.pulls.find(({ number }) => number === given.number).labelled = given.labels
  } else throw new Error(`unknown command ${op}`)
}

function permissionsOf({ login }) {
  const push = ['owner', 'write'].includes(PERMISSIONS[login])
  return { admin: PERMISSIONS[login] === 'owner', push, pull: true }
}

/** Only administrators may ask. */
function permission({ me, login }) {
  if (PERMISSIONS[me.login] !== 'owner')
    return { status: 403, body: { message: 'Only admins can query all permissions' } }
  return PERMISSIONS[login] ? ok({ permission: PERMISSIONS[login] }) : notFound()
}

function addLabel(repo, name) {
  const label = { id: ids++, name, color: '70c24a' }
  repo.labels.push(label)
  return label
}

function listIssues({ repo, search }) {
  const state = search.get('state') ?? 'open'
  const labels = search.get('labels')?.split(',') ?? []
  const found = repo.items
    .filter((item) => !item.pull_request && (state === 'all' || item.state === state))
    .filter((item) => labels.every((name) => item.labels.some((label) => label.name === name)))
  return ok(pageOf([...found].reverse(), search))
}

function newItem(repo, me, body) {
  const number = repo.items.length + 1
  const item = {
    id: ids++,
    number,
    title: body.title,
    body: body.body ?? '',
    state: 'open',
    labels: repo.labels.filter(({ id }) => body.labels?.includes(id)),
    assignees: USERS.filter(({ login }) => body.assignees?.includes(login)),
    user: me,
    html_url: `${webUrl}/${repo.name}/issues/${number}`,
    created_at: time(),
    pull_request: null,
  }
  repo.items.push(item)
  return item
}

function createIssue({ repo, me, body }) {
  return created(newItem(repo, me, body))
}

function changeIssue({ repo, number, body }) {
  return one(repo.items, number, (item) => {
    for (const key of ['title', 'body', 'state']) if (body[key] !== undefined) item[key] = body[key]
    if (body.assignees) item.assignees = USERS.filter(({ login }) => body.assignees.includes(login))
    return created(item)
  })
}

function addComment({ repo, number, me, body }) {
  return one(repo.items, number, (item) => {
    const comment = {
      id: ids++,
      body: body.body,
      user: me,
      html_url: `${webUrl}/${repo.name}/${item.pull_request ? 'pulls' : 'issues'}/${item.number}#issuecomment-${ids}`,
      created_at: time(),
    }
    comment.updated_at = comment.created_at
    repo.comments.set(item, [...(repo.comments.get(item) ?? []), comment])
    return created(comment)
  })
}

/** Of issues and pull requests alike, by when they were last changed. */
function listComments({ repo, search }) {
  const all = [...repo.comments.values()].flat()
  return ok(
    pageOf(
      all.filter(({ updated_at }) => updated_at >= (search.get('since') ?? '')),
      search,
    ),
  )
}

function editComment({ repo, comment, body }) {
  const found = [...repo.comments.values()].flat().find(({ id }) => id === Number(comment))
  return found ? ok(Object.assign(found, { body: body.body, updated_at: time() })) : notFound()
}

function addLabels({ repo, number, body }) {
  return one(repo.items, number, (item) => {
    item.labels = [...new Set([...item.labels, ...repo.labels.filter(({ id }) => body.labels.includes(id))])]
    return ok(item.labels)
  })
}

function removeLabel({ repo, number, label }) {
  return one(repo.items, number, (item) => {
    item.labels = item.labels.filter(({ id }) => id !== Number(label))
    return { status: 204 }
  })
}

function listPulls({ repo, search }) {
  const state = search.get('state') ?? 'open'
  const found = repo.pulls.filter((pull) => state === 'all' || pull.state === state)
  return ok(
    pageOf(
      [...found].reverse().map((pull) => shown(repo, pull)),
      search,
    ),
  )
}

function createPull({ repo, me, body }) {
  if (repo.pulls.some((pull) => pull.head === body.head && pull.state === 'open')) {
    return { status: 409, body: { message: 'pull request already exists for these targets' } }
  }
  const item = newItem(repo, me, body)
  item.pull_request = {}
  const pull = {
    number: item.number,
    item,
    head: body.head,
    base: body.base,
    state: 'open',
    merged: false,
    reviews: [],
  }
  repo.pulls.push(pull)
  return created(shown(repo, pull))
}

/** As Forgejo shows it now. */
function shown(repo, pull) {
  const tip = tipOf(repo.bare, pull.head)
  const target = tipOf(repo.bare, pull.base)
  // Its commits were pushed to the base branch.
  if (pull.state === 'open' && tip && isInside(repo.bare, tip, target))
    Object.assign(pull, { state: 'closed', merged: true, mergedSha: tip, merge_commit_sha: target })
  const sha = pull.mergedSha ?? tipOf(repo.bare, pull.head) ?? createHash('sha1').update(pull.head).digest('hex')
  const baseSha = tipOf(repo.bare, pull.base)
  const draft = /^(?:WIP:|\[WIP\])/i.test(pull.item.title)
  const mergeable = pull.state === 'open' && !draft && !conflicts(repo.bare, sha, baseSha)
  return {
    number: pull.number,
    title: pull.item.title,
    html_url: `${webUrl}/${repo.name}/pulls/${pull.number}`,
    state: pull.state,
    draft,
    merged: pull.merged,
    mergeable,
    merge_commit_sha: pull.merge_commit_sha ?? null,
    head: { ref: pull.head, sha, repo_id: 1 },
    base: { ref: pull.base, sha: baseSha, repo_id: 1 },
    user: pull.item.user,
    requested_reviewers: [],
    body: pull.item.body,
    created_at: pull.item.created_at,
    assignees: pull.item.assignees,
    labels: (pull.labelled ?? []).map((name) => ({ name })),
    updated_at: time(),
  }
}

function changePull({ repo, number, body }) {
  return one(repo.pulls, number, (pull) => {
    if (body.state) pull.state = body.state
    if (body.base && body.base !== pull.base) {
      const event = { id: ids++, type: 'change_target_branch', old_ref: pull.base, new_ref: body.base }
      pull.events = [...(pull.events ?? []), { ...event, created_at: time() }]
      pull.base = body.base
    }
    return created(shown(repo, pull))
  })
}

function mergePull({ repo, number, body }) {
  return one(repo.pulls, number, (pull) => {
    const now = shown(repo, pull)
    if (pull.state !== 'open') return { status: 405, body: { message: 'The PR is already closed' } }
    if (body.head_commit_id && body.head_commit_id !== now.head.sha)
      return { status: 409, body: { message: 'head out of date' } }
    if (!now.mergeable) return { status: 405, body: { message: 'Please try again later' } }
    const order = { head: now.head.sha, base: pull.base, title: now.title, number, method: body.Do }
    const commit = mergeInBare(repo.bare, order)
    Object.assign(pull, { state: 'closed', merged: true, mergedSha: now.head.sha, merge_commit_sha: commit })
    return { status: 200 }
  })
}

function addReview({ repo, number, me, body }) {
  return one(repo.pulls, number, (pull) => {
    const review = {
      id: ids++,
      user: me,
      state: body.event,
      body: body.body ?? '',
      commit_id: body.commit_id ?? shown(repo, pull).head.sha,
      submitted_at: time(),
      dismissed: false,
      comments: [],
    }
    for (const comment of body.comments ?? []) commentOn(repo, { number, review, me, comment })
    pull.reviews.push(review)
    return ok(bare(review))
  })
}

function commentOn(repo, { number, review, me, comment: { path, new_position: position, body } }) {
  const comment = {
    id: ids++,
    user: me,
    body,
    path,
    position,
    original_position: 0,
    resolver: null,
    html_url: `${webUrl}/${repo.name}/pulls/${number}#issuecomment-${ids}`,
    created_at: time(),
  }
  review.comments.push(comment)
  return comment
}

/** As Forgejo has it: a comment joins the review, and at the same line its conversation. */
function addReviewComment({ repo, number, review, me, body }) {
  return one(repo.pulls, number, (pull) => {
    const found = pull.reviews.find(({ id }) => id === Number(review))
    return found ? ok(commentOn(repo, { number, review: found, me, comment: body })) : notFound()
  })
}

function bare({ comments, ...review }) {
  return { ...review, comments_count: comments.length }
}

function reviewComments({ repo, number, review }) {
  return one(repo.pulls, number, (pull) => ok(pull.reviews.find(({ id }) => id === Number(review))?.comments ?? []))
}

function statuses({ repo, ref, search }) {
  const sha = tipOf(repo.bare, decodeURIComponent(ref)) ?? ref
  return ok(pageOf(repo.statuses.filter((one) => one.sha === sha).reverse(), search))
}

function addStatus({ repo, sha, body }) {
  const status = { id: ids++, sha, context: body.context, status: body.state, target_url: body.target_url ?? '' }
  repo.statuses.push(status)
  return created(status)
}

function one(list, number, then) {
  const found = list.find((item) => item.number === Number(number))
  return found ? then(found) : notFound()
}

function pageOf(list, search) {
  const limit = Math.min(Number(search.get('limit') ?? 30), 50)
  const page = Number(search.get('page') ?? 1)
  return list.slice((page - 1) * limit, page * limit)
}

function time() {
  clock += 1000
  return new Date(clock).toISOString()
}

function ok(body) {
  return { status: 200, body }
}

function created(body) {
  return { status: 201, body }
}

function notFound() {
  return { status: 404, body: { message: "The target couldn't be found." } }
}
