// GitLab for tests, as a process of its own: projects, issues, merge requests, pipelines, approvals and discussions in
// memory, in the shapes that GitLab's REST documentation shows. Commits come from a real bare repository where one is given.
import { createHash } from 'node:crypto'
import { changedFiles, conflicts, isInside, mergeBase, mergeInBare, tipOf } from './bare-repository.mjs'
import { createForgeServer, listen } from './serve.mjs'

const USERS = ['acme', 'maria', 'outsider', 'helper-bot', 'project_7_bot_f00d'].map((username, n) => ({
  id: n + 1,
  username,
  name: username,
}))
const LEVELS = { acme: 50, maria: 30, project_7_bot_f00d: 30 }
const projects = new Map()
let webUrl = ''
let ids = 1000
let clock = Date.now()
const rate = { limit: 2000, used: 0, reset: Math.floor(Date.now() / 1000) + 60 }

listen(createForgeServer({ answer, control }), {}, (url) => {
  webUrl = url
  return { url }
})

async function answer(request) {
  const token = /^Bearer (token-\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  const me = USERS.find(({ username }) => `token-${username}` === token)
  if (!me) return { status: 401, body: { message: '401 Unauthorized' } }
  const path = request.rawPath.replace(/^\/api\/v4/, '')
  const body = request.body.length > 0 ? JSON.parse(request.body.toString()) : {}
  const found = route({ me, method: request.method, path, search: request.search, body })
  return withHeaders(request, found)
}

function route(asked) {
  for (const [method, pattern, handle] of ROUTES) {
    const match = method === asked.method ? pattern.exec(asked.path) : null
    if (!match) continue
    const project = match.groups?.project === undefined ? undefined : findProject(match.groups.project)
    if (project === null) return notFound('404 Project Not Found')
    return handle({ ...asked, ...match.groups, project })
  }
  return notFound()
}

const P = `^/projects/(?<project>[^/]+)`
const MR = String.raw`${P}/merge_requests/(?<iid>\d+)`
const ROUTES = [
  ['GET', /^\/users$/, ({ search }) => ok(USERS.filter(({ username }) => username === search.get('username')))],
  ['GET', /^\/user$/, ({ me }) => ok(me)],
  ['GET', regex(`${P}$`), showProject],
  ['GET', regex(`${P}/merge_trains/merge_requests/(?<iid>\\d+)$`), showOnTrain],
  ['POST', regex(`${P}/merge_trains/merge_requests/(?<iid>\\d+)$`), boardTrain],
  ['GET', regex(`${P}/repository/branches/(?<branch>[^/]+)$`), showBranch],
  ['GET', regex(`${P}/members/all/(?<user>\\d+)$`), member],
  ['GET', regex(`${P}/issues$`), listIssues],
  ['POST', regex(`${P}/issues$`), createIssue],
  ['GET', regex(`${P}/issues/(?<iid>\\d+)$`), ({ project, iid }) => one(project.issues, iid, (issue) => ok(issue))],
  ['PUT', regex(`${P}/issues/(?<iid>\\d+)$`), changeIssue],
  [
    'GET',
    regex(`${P}/issues/(?<iid>\\d+)/links$`),
    ({ project, iid }) => one(project.issues, iid, (issue) => ok(issue.links ?? [])),
  ],
  ['POST', regex(`${P}/issues/(?<iid>\\d+)/links$`), addLink],
  ['GET', regex(`${P}/issues/(?<iid>\\d+)/notes$`), ({ project, iid }) => ok(project.notes.get(Number(iid)) ?? [])],
  ['POST', regex(`${P}/issues/(?<iid>\\d+)/notes$`), addIssueNote],
  ['PUT', regex(`${P}/issues/(?<iid>\\d+)/notes/(?<note>\\d+)$`), editIssueNote],
  ['GET', regex(`${P}/events$`), listEvents],
  ['GET', regex(`${P}/merge_requests$`), listRequests],
  ['POST', regex(`${P}/merge_requests$`), createRequest],
  ['GET', regex(`${MR}$`), ({ project, iid }) => one(project.requests, iid, (request) => ok(shown(project, request)))],
  ['PUT', regex(`${MR}$`), changeRequest],
  ['PUT', regex(`${MR}/merge$`), mergeRequest],
  ['GET', regex(`${MR}/approvals$`), approvals],
  ['POST', regex(`${MR}/approve$`), approve],
  [
    'GET',
    regex(`${MR}/reviewers$`),
    ({ project, iid }) => one(project.requests, iid, (request) => ok(request.reviewers)),
  ],
  ['GET', regex(`${MR}/versions$`), versions],
  [
    'GET',
    regex(`${MR}/notes$`),
    ({ project, iid }) => one(project.requests, iid, ({ trainNotes = [] }) => ok([...trainNotes].reverse())),
  ],
  ['POST', regex(`${MR}/notes$`), addNote],
  ['GET', regex(`${MR}/diffs$`), diffs],
  ['GET', regex(`${MR}/discussions$`), discussions],
  ['POST', regex(`${MR}/discussions$`), addDiscussion],
  ['PUT', regex(`${MR}/discussions/(?<discussion>\\w+)$`), resolveDiscussion],
  ['POST', regex(`${MR}/discussions/(?<discussion>\\w+)/notes$`), replyInDiscussion],
  ['GET', regex(`${P}/pipelines$`), listPipelines],
  ['GET', regex(`${P}/pipelines/(?<pipeline>\\d+)/jobs$`), jobs],
  ['GET', regex(`${P}/jobs/(?<job>\\d+)/trace$`), trace],
  ['POST', regex(`${P}/jobs/(?<job>\\d+)/retry$`), retry],
]

function regex(source) {
  return new RegExp(source)
}

async function control({ op, ...given }) {
  if (op === 'project') return createProject(given)
  if (op === 'rate') return void Object.assign(rate, given)
  const project = projects.get(given.project)
  if (op === 'job') return addJob(project, given)
  const request = project.requests.find(({ iid }) => iid === given.iid)
  if (op === 'protect') project.isProtected = true
  else if (op === 'dequeue') {
    request.onTrain = false
    const body = `removed this merge request from the merge train because ${given.reason}`
    request.trainNotes = [{ id: ids++, system: true, body, created_at: new Date().toISOString() }]
  } else if (op === 'request') Object.assign(request.asked, given.values)
  else if (op === 'reviewer') setReviewer(request, given)
  else throw new Error(`unknown command ${op}`)
}

function createProject({ path, bare }) {
  const project = { id: ids++, path, bare, issues: [], notes: new Map(), requests: [], pipelines: [] }
  projects.set(path, project)
}

function findProject(text) {
  const name = decodeURIComponent(text)
  return projects.get(name) ?? [...projects.values()].find(({ id }) => String(id) === name) ?? null
}

function member({ user }) {
  const found = USERS.find(({ id }) => id === Number(user))
  const level = LEVELS[found?.username]
  return level === undefined ? notFound() : ok({ ...found, access_level: level, state: 'active' })
}

function listIssues({ project, search }) {
  const state = search.get('state')
  const labels = search.get('labels')?.split(',') ?? []
  const assignee = search.get('assignee_username')
  const found = project.issues
    .filter((issue) => state === 'all' || state === null || issue.state === state)
    .filter((issue) => labels.every((label) => issue.labels.includes(label)))
    .filter((issue) => assignee === null || issue.assignees.some(({ username }) => username === assignee))
  return ok(pageOf([...found].reverse(), search))
}

function createIssue({ project, me, body }) {
  const iid = project.issues.length + 1
  const issue = {
    id: ids++,
    iid,
    project_id: project.id,
    title: body.title,
    description: body.description ?? null,
    state: 'opened',
    labels: words(body.labels),
    assignees: USERS.filter(({ id }) => body.assignee_ids?.includes(id)),
    author: me,
    web_url: `${webUrl}/${project.path}/-/issues/${iid}`,
    created_at: time(),
    updated_at: time(),
  }
  project.issues.push(issue)
  return { status: 201, body: issue }
}

function changeIssue({ project, iid, body }) {
  return one(project.issues, iid, (issue) => {
    const removed = words(body.remove_labels)
    Object.assign(issue, {
      title: body.title ?? issue.title,
      description: body.description ?? issue.description,
      labels: [...new Set([...issue.labels, ...words(body.add_labels)])].filter((label) => !removed.includes(label)),
      state: { close: 'closed', reopen: 'opened' }[body.state_event] ?? issue.state,
      assignees: body.assignee_ids ? USERS.filter(({ id }) => body.assignee_ids.includes(id)) : issue.assignees,
      updated_at: time(),
    })
    return ok(issue)
  })
}

/** GitLab shows a link from the issue that is asked about. */
function addLink({ project, iid, body }) {
  return one(project.issues, iid, (issue) =>
    one(findProject(body.target_project_id ?? project.path).issues, body.target_issue_iid, (target) => {
      issue.links = [...(issue.links ?? []), { ...target, links: undefined, link_type: body.link_type }]
      return { status: 201, body: {} }
    }),
  )
}

function addIssueNote({ project, iid, me, body }) {
  return one(project.issues, iid, () => {
    const at = time()
    const on = { noteable_type: 'Issue', noteable_iid: Number(iid) }
    const note = { id: ids++, body: body.body, author: me, system: false, created_at: at, updated_at: at, ...on }
    project.notes.set(Number(iid), [...(project.notes.get(Number(iid)) ?? []), note])
    return { status: 201, body: note }
  })
}

function editIssueNote({ project, iid, note, body }) {
  const found = project.notes.get(Number(iid))?.find(({ id }) => id === Number(note))
  const later = new Date(Date.parse(time()) + 1_000).toISOString()
  return found ? ok(Object.assign(found, { body: body.body, updated_at: later })) : notFound()
}

/** What happened in the project: of the comments only, and after a day, which is not in it. */
function listEvents({ project, search }) {
  const ofIssues = [...project.notes.values()].flat()
  const ofRequests = project.requests.flatMap(({ iid, discussions: all }) =>
    all.flatMap(({ notes }) => notes.map((note) => ({ ...note, noteable_type: 'MergeRequest', noteable_iid: iid }))),
  )
  const commented = search.get('action') === 'commented' ? [...ofIssues, ...ofRequests] : []
  const events = commented
    .filter(({ created_at }) => created_at.slice(0, 10) > search.get('after'))
    .sort((a, b) => a.created_at.localeCompare(b.created_at))
    .map((note) => ({ action_name: 'commented on', target_type: 'Note', created_at: note.created_at, note }))
  return ok(pageOf(events, search))
}

function listRequests({ project, search }) {
  const found = project.requests
    .filter(({ state }) => [null, 'all', state].includes(search.get('state')))
    .filter((one) => search.get('source_branch') === null || one.source_branch === search.get('source_branch'))
  // A list does not have the pipeline.
  const listed = [...found].reverse().map((one) => ({ ...shown(project, one), head_pipeline: undefined }))
  return ok(pageOf(listed, search))
}

function createRequest({ project, me, body }) {
  const other = project.requests.find((one) => one.source_branch === body.source_branch && one.state === 'opened')
  if (other && body.source_project_id === undefined) {
    return {
      status: 409,
      body: { message: [`Another open merge request already exists for this source branch: !${other.iid}`] },
    }
  }
  const iid = project.requests.length + 1
  const request = {
    id: ids++,
    iid,
    title: body.title,
    state: 'opened',
    draft: /^Draft:/.test(body.title),
    source_branch: body.source_branch,
    target_branch: body.target_branch,
    source_project_id: body.source_project_id ?? project.id,
    target_project_id: project.id,
    author: me,
    web_url: `${webUrl}/${project.path}/-/merge_requests/${iid}`,
    merge_commit_sha: null,
    squash_commit_sha: null,
    updated_at: time(),
    asked: {},
    approvedBy: [],
    reviewers: [],
    discussions: [],
    versions: [],
  }
  project.requests.push(request)
  return { status: 201, body: shown(project, request) }
}

/** As GitLab shows it now. */
function shown(project, request) {
  const tip = project.bare && tipOf(project.bare, request.source_branch)
  notePushed(project, request, tip)
  const { asked, approvedBy, reviewers, discussions: _, versions: __, mergedSha, ...fields } = request
  const sha = mergedSha ?? asked.sha ?? tip ?? createHash('sha1').update(request.web_url).digest('hex')
  if (request.versions.at(0)?.head_commit_sha !== sha || request.versions[0].isOld) {
    const base = project.bare && (mergeBase(project.bare, sha, request.target_branch) ?? null)
    const shas = { head_commit_sha: sha, base_commit_sha: base, start_commit_sha: base }
    request.versions.unshift({ id: ids++, ...shas, created_at: time() })
  }
  const target = project.bare && tipOf(project.bare, request.target_branch)
  const conflicting = Boolean(target && request.state === 'opened' && conflicts(project.bare, sha, target))
  const pipeline = project.pipelines.findLast((one) => one.sha === sha)
  return {
    ...fields,
    sha,
    has_conflicts: conflicting,
    merge_status: conflicting ? 'cannot_be_merged' : 'can_be_merged',
    detailed_merge_status: conflicting ? 'conflict' : request.draft ? 'draft_status' : 'mergeable',
    head_pipeline: pipeline ? shownPipeline(project, pipeline) : null,
    ...asked,
  }
}

/** Its commits were pushed to the target branch. */
function notePushed(project, request, tip) {
  if (request.state !== 'opened' || request.asked.sha !== undefined || !tip) return
  const target = tipOf(project.bare, request.target_branch)
  if (target && isInside(project.bare, tip, target))
    Object.assign(request, { state: 'merged', mergedSha: tip, merge_commit_sha: target })
}

/** A new target branch is a new version of the same head, and noted in the history. */
function changeRequest({ project, iid, me, body }) {
  return one(project.requests, iid, (request) => {
    if (body.target_branch !== undefined && body.target_branch !== request.target_branch) {
      const note = `changed target branch from \`${request.target_branch}\` to \`${body.target_branch}\``
      request.target_branch = body.target_branch
      addDiscussion({ project, iid, me, body: { body: note, system: true } })
      request.versions[0].isOld = true
    }
    request.state = { close: 'closed', reopen: 'opened' }[body.state_event] ?? request.state
    request.updated_at = time()
    return ok(shown(project, request))
  })
}

function mergeRequest({ project, iid, body }) {
  return one(project.requests, iid, (request) => {
    const now = shown(project, request)
    if (request.state !== 'opened') return { status: 405, body: { message: '405 Method Not Allowed' } }
    if (body.sha !== undefined && body.sha !== now.sha) {
      return { status: 409, body: { message: 'SHA does not match HEAD of source branch' } }
    }
    if (now.has_conflicts) return { status: 422, body: { message: 'Branch cannot be merged' } }
    if (now.detailed_merge_status !== 'mergeable') return { status: 405, body: { message: '405 Method Not Allowed' } }
    const order = { head: now.sha, base: request.target_branch, title: request.title, number: iid }
    const commit = project.bare && mergeInBare(project.bare, { ...order, method: body.squash ? 'squash' : 'merge' })
    Object.assign(request, {
      state: 'merged',
      mergedSha: now.sha,
      merge_commit_sha: commit ?? null,
      updated_at: time(),
    })
    return ok(shown(project, request))
  })
}

/** A project with merge trains is one in which a merge request was set so. */
function showProject({ project }) {
  const isTrain = project.requests.some(({ asked }) => asked.merge_train)
  return ok({ id: project.id, path_with_namespace: project.path, merge_trains_enabled: isTrain })
}

function showBranch({ project, branch }) {
  const tip = tipOf(project.bare, decodeURIComponent(branch))
  return tip ? ok({ name: branch, protected: project.isProtected ?? false, commit: { id: tip } }) : notFound()
}

function showOnTrain({ project, iid }) {
  return one(project.requests, iid, ({ onTrain }) => (onTrain ? ok({ status: 'fresh' }) : notFound()))
}

function boardTrain({ project, iid, body }) {
  return one(project.requests, iid, (request) => {
    if (body.sha !== shown(project, request).sha) {
      return { status: 409, body: { message: 'SHA does not match HEAD of source branch' } }
    }
    if (request.onTrain) return { status: 400, body: { message: 'Merge request is already on the train' } }
    request.onTrain = true
    return { status: 201, body: [{ status: 'fresh' }] }
  })
}

function approvals({ project, iid }) {
  return one(project.requests, iid, (request) => {
    const left = request.asked.approvals_left ?? 0
    return ok({
      approved: left === 0,
      approvals_required: left,
      approvals_left: left,
      approved_by: request.approvedBy,
    })
  })
}

function approve({ project, iid, me, body }) {
  return one(project.requests, iid, (request) => {
    const { sha } = shown(project, request)
    if (body.sha !== undefined && body.sha !== sha)
      return { status: 409, body: { message: 'SHA does not match HEAD of source branch' } }
    request.approvedBy = request.approvedBy.filter(({ user }) => user.id !== me.id)
    request.approvedBy.push(request.asked.old ? { user: me } : { user: me, approved_at: time() })
    setReviewer(request, { user: me.username, state: 'approved' })
    return { status: 201, body: {} }
  })
}

function setReviewer(request, { user, state }) {
  const found = USERS.find(({ username }) => username === user)
  request.reviewers = [
    ...request.reviewers.filter((one) => one.user.id !== found.id),
    { user: found, state, created_at: time() },
  ]
}

function versions({ project, iid, search }) {
  return one(project.requests, iid, (request) => {
    shown(project, request)
    return ok(pageOf(request.versions, search))
  })
}

function discussions({ project, iid, search }) {
  return one(project.requests, iid, (request) => ok(pageOf(request.discussions, search)))
}

function addDiscussion({ project, iid, me, body }) {
  return one(project.requests, iid, (request) => {
    const { sha } = shown(project, request)
    // As GitLab checks it: the newest diff, and the old number of a line that was not changed.
    if (body.position?.position_type === 'text' && body.position.head_sha !== sha)
      return { status: 400, body: { message: '400 Bad request - Note {:line_code=>["can\'t be blank"]}' } }
    const note = {
      id: ids++,
      type: body.position ? 'DiffNote' : body.plain ? null : 'DiscussionNote',
      body: body.body,
      author: me,
      created_at: time(),
      system: body.system ?? false,
      resolvable: !body.plain && !body.system,
      resolved: false,
      ...(body.position ? { position: body.position } : {}),
    }
    const discussion = { id: createHash('sha1').update(String(note.id)).digest('hex'), notes: [note] }
    request.discussions.push(discussion)
    return { status: 201, body: discussion }
  })
}

/** In the conversation: not in a thread that can be resolved. */
function addNote(asked) {
  const made = addDiscussion({ ...asked, body: { ...asked.body, plain: true } })
  return made.status === 201 ? { status: 201, body: made.body.notes[0] } : made
}

function diffs({ project, iid, search }) {
  return one(project.requests, iid, (request) => {
    const { sha } = shown(project, request)
    return ok(pageOf(changedFiles(project.bare, mergeBase(project.bare, sha, request.target_branch), sha), search))
  })
}

function replyInDiscussion({ project, iid, discussion, me, body }) {
  return one(project.requests, iid, (request) => {
    const found = request.discussions.find(({ id }) => id === discussion)
    if (!found) return notFound()
    const note = { ...found.notes[0], id: ids++, body: body.body, author: me, created_at: time() }
    found.notes.push(note)
    return { status: 201, body: note }
  })
}

function resolveDiscussion({ project, iid, discussion, body }) {
  return one(project.requests, iid, (request) => {
    const found = request.discussions.find(({ id }) => id === discussion)
    for (const note of found.notes) note.resolved = body.resolved
    return ok(found)
  })
}

function listPipelines({ project, search }) {
  const asked = (name, value) => search.get(name) === null || search.get(name) === value
  const found = project.pipelines.filter(({ ref, sha }) => asked('ref', ref) && asked('sha', sha)).reverse()
  return ok(
    pageOf(
      found.map((one) => shownPipeline(project, one)),
      search,
    ),
  )
}

function shownPipeline(project, { jobs: all, ...pipeline }) {
  const states = all.filter(({ allow_failure }) => !allow_failure).map(({ status }) => status)
  const status = states.includes('failed') ? 'failed' : states.every((one) => one === 'success') ? 'success' : 'running'
  return { ...pipeline, project_id: project.id, status: pipeline.status ?? status, source: 'push' }
}

/** A job that runs again takes the place of the one before, which the list then leaves out. */
function addJob(project, { ref, sha, name, status, log, allow_failure = false }) {
  const head = sha ?? tipOf(project.bare, ref)
  let pipeline = project.pipelines.find((one) => one.sha === head && one.ref === ref)
  if (!pipeline) {
    pipeline = { id: ids++, sha: head, ref, jobs: [] }
    project.pipelines.push(pipeline)
  }
  const id = ids++
  const web_url = `${webUrl}/${project.path}/-/jobs/${id}`
  const job = { id, name, status, allow_failure, web_url, log, pipeline: { id: pipeline.id, project_id: project.id } }
  pipeline.jobs = [...pipeline.jobs.filter((one) => one.name !== name), job]
  return id
}

function jobs({ project, pipeline, search }) {
  const found = project.pipelines.find(({ id }) => id === Number(pipeline))
  return found
    ? ok(
        pageOf(
          found.jobs.map(({ log: _, ...job }) => job),
          search,
        ),
      )
    : notFound()
}

function retry({ project, job }) {
  const found = project.pipelines.flatMap((one) => one.jobs).find(({ id }) => id === Number(job))
  if (found === undefined) return notFound()
  found.status = 'pending'
  return { status: 201, body: { id: found.id, status: found.status } }
}

function trace({ project, job }) {
  const found = project.pipelines.flatMap((one) => one.jobs).find(({ id }) => id === Number(job))
  return found?.log === undefined ? notFound() : ok(found.log)
}

function withHeaders(request, answer) {
  const etag = `W/"${createHash('md5')
    .update(JSON.stringify(answer.body ?? null))
    .digest('hex')}"`
  const unchanged = request.method === 'GET' && answer.status === 200 && request.headers['if-none-match'] === etag
  rate.used += 1
  const headers = {
    'ratelimit-limit': String(rate.limit),
    'ratelimit-remaining': String(Math.max(0, rate.limit - rate.used)),
    'ratelimit-reset': String(rate.reset),
    ...(request.method === 'GET' && answer.status === 200 ? { etag } : {}),
  }
  return unchanged ? { status: 304, headers } : { ...answer, headers }
}

function pageOf(all, search) {
  const size = Number(search.get('per_page') ?? 20)
  const page = Number(search.get('page') ?? 1)
  return all.slice((page - 1) * size, page * size)
}

function one(all, iid, answerFor) {
  const found = all.find((each) => each.iid === Number(iid))
  return found ? answerFor(found) : notFound()
}

function ok(body) {
  return { status: 200, body }
}

function notFound(message = '404 Not found') {
  return { status: 404, body: { message } }
}

function words(text) {
  return text ? text.split(',') : []
}

/** Always later than the time before. */
function time() {
  clock = Math.max(clock + 1, Date.now())
  return new Date(clock).toISOString()
}
