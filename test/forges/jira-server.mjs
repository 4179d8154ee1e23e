// Jira Cloud for tests, as a process of its own: the part of its REST API (version 3) that is used here, in Atlassian's shapes,
// with its refusals: documents that are not valid, labels with spaces, queries without a condition, unknown transitions.
import { createForgeServer, listen } from './serve.mjs'

const CATEGORIES = { 'To Do': 'new', 'In Progress': 'indeterminate', Done: 'done' }
const USERS = ['acme', 'maria'].map((name) => ({
  accountId: `id-${name}`,
  displayName: name,
  emailAddress: `${name}@example.invalid`,
  accountType: 'atlassian',
}))
const world = { projects: new Map(), issues: new Map() }

listen(createForgeServer({ answer, control }))

async function answer({ method, path, search, headers, body }) {
  const [email, token] = Buffer.from(String(headers.authorization ?? '').replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')
  const user = USERS.find(({ emailAddress }) => emailAddress === email)
  if (!user || !token?.startsWith('jira-'))
    return { status: 401, body: 'Client must be authenticated to access this resource.' }
  const given = body.length > 0 ? JSON.parse(body.toString()) : undefined
  const route = `${method} ${path.replace('/rest/api/3', '')}`
  if (route === 'GET /myself') return ok(user)
  if (route === 'GET /user/search')
    return ok(
      USERS.filter(({ displayName, emailAddress }) =>
        [displayName, emailAddress].some((text) => text.includes(search.get('query').toLowerCase())),
      ),
    )
  if (route === 'POST /search/jql') return found(given)
  if (route === 'POST /issue') return create(given.fields, user)
  const [, key, rest = ''] = /^\S+ \/issue\/([A-Z0-9_]+-\d+)(\/\w+)?$/.exec(route) ?? []
  const issue = world.issues.get(key)
  if (!issue) return refuse(404, 'Issue does not exist or you do not have permission to see it.')
  if (method === 'GET' && rest === '') return ok(show(issue, search.get('fields').split(',')))
  if (method === 'PUT' && rest === '') return change(issue, given)
  if (method === 'POST' && rest === '/comment') {
    if (!isDocument(given.body)) return refuse(400, 'Comment body is not valid!')
    issue.fields.comment.comments.push({ author: user, body: given.body, created: now() })
    return { status: 201, body: {} }
  }
  if (method === 'GET' && rest === '/transitions') return ok({ transitions: transitionsOf(issue) })
  if (method === 'POST' && rest === '/transitions') return move(issue, given.transition.id)
  return refuse(404, `no ${route}`)
}

async function control({ op, ...given }) {
  if (op === 'project')
    return void world.projects.set(given.key, { last: 0, workflow: given.workflow ?? Object.keys(CATEGORIES) })
  if (op === 'issue') {
    const {
      key,
      title = 'x',
      description = null,
      labels = [],
      status = 'To Do',
      assignee = null,
      reporter = USERS[0],
    } = given
    return add(key, {
      summary: title,
      description,
      labels,
      assignee: USERS.find(({ displayName }) => displayName === assignee) ?? null,
      reporter,
      status,
    })
  }
  if (op === 'link') {
    const { fields } = world.issues.get(given.key)
    if (given.type === 'subtask') fields.subtasks = [...(fields.subtasks ?? []), { key: given.other }]
    else
      fields.issuelinks = [
        ...(fields.issuelinks ?? []),
        { type: { name: given.type }, [given.way]: { key: given.other } },
      ]
    return null
  }
  throw new Error(`unknown command ${op}`)
}

function add(project, { status, ...fields }) {
  const place = world.projects.get(project)
  place.last += 1
  const key = `${project}-${place.last}`
  const whole = {
    ...fields,
    status: statusOf(status),
    created: now(place.last),
    resolutiondate: null,
    comment: { comments: [] },
  }
  world.issues.set(key, { key, project, fields: whole })
  return key
}

function create({ project, issuetype, summary, description, labels = [], assignee }, reporter) {
  if (!world.projects.has(project?.key)) return refuse(400, null, { project: 'valid project is required' })
  if (!['Task', 'Bug'].includes(issuetype?.name))
    return refuse(400, null, { issuetype: 'The issue type selected is invalid.' })
  if (!isDocument(description))
    return refuse(400, null, { description: 'Operation value must be an Atlassian Document' })
  const wrong = wrongLabels(labels)
  if (wrong) return wrong
  const user = USERS.find(({ accountId }) => accountId === assignee?.accountId) ?? null
  const key = add(project.key, { summary, description, labels, assignee: user, reporter, status: 'To Do' })
  return { status: 201, body: { key } }
}

function change({ fields }, { fields: given = {}, update = {} }) {
  if (given.description !== undefined && !isDocument(given.description))
    return refuse(400, null, { description: 'Operation value must be an Atlassian Document' })
  const { assignee, ...texts } = given
  const wrong = wrongLabels((update.labels ?? []).flatMap(({ add: label }) => label ?? []))
  if (wrong) return wrong
  Object.assign(fields, texts)
  if (assignee) fields.assignee = USERS.find(({ accountId }) => accountId === assignee.accountId)
  for (const { add: more, remove } of update.labels ?? []) {
    if (more && !fields.labels.includes(more)) fields.labels.push(more)
    if (remove) fields.labels = fields.labels.filter((label) => label !== remove)
  }
  return { status: 204 }
}

function wrongLabels(labels) {
  const odd = labels.find((label) => /\s/.test(label))
  return odd === undefined
    ? null
    : refuse(400, null, { labels: `The label '${odd}' contains spaces which is invalid.` })
}

function transitionsOf({ project, fields }) {
  const { workflow } = world.projects.get(project)
  return workflow
    .filter((name) => name !== fields.status.name)
    .map((name) => ({ id: `t-${name}`, name: `Move to ${name}`, to: statusOf(name) }))
}

function move(issue, id) {
  const found = transitionsOf(issue).find((one) => one.id === id)
  if (!found) return refuse(400, 'Transition id is not valid for this issue.')
  issue.fields.status = found.to
  issue.fields.resolutiondate = found.to.statusCategory.key === 'done' ? now() : null
  return { status: 204 }
}

/** The words of JQL that are used; anything else is an error. */
function found({ jql, fields, maxResults, nextPageToken }) {
  const match = /^(.+) ORDER BY created DESC$/.exec(jql)
  if (!match) return refuse(400, `Unbounded JQL queries are not allowed here: ${jql}`)
  const tests = match[1].split(' AND ').map((part) => {
    const [, name, operator, value] = /^(\w+) (=|!=|IS NOT) ("(?:[^"\\]|\\.)*"|\w+)$/.exec(part) ?? []
    const text = value?.startsWith('"') ? JSON.parse(value) : value
    if (name === 'created') return () => true
    if (name === 'project') return (issue) => issue.project === text
    if (name === 'labels') return ({ fields: { labels } }) => labels.includes(text)
    if (name === 'assignee') return ({ fields: { assignee } }) => assignee?.accountId === text
    if (name === 'statusCategory')
      return ({ fields: { status } }) => (status.statusCategory.key === 'done') === (operator === '=')
    return null
  })
  if (tests.includes(null)) return refuse(400, `Error in the JQL Query: ${jql}`)
  const all = [...world.issues.values()].filter((issue) => tests.every((test) => test(issue))).reverse()
  const from = Number(nextPageToken ?? 0)
  // Two at a time, so that pages are really read.
  const page = all.slice(from, from + Math.min(maxResults, 2))
  const next = from + page.length
  return ok({
    issues: page.map((issue) => show(issue, fields)),
    ...(next < all.length ? { nextPageToken: String(next) } : { isLast: true }),
  })
}

function show({ key, fields }, wanted) {
  return { id: key, key, fields: Object.fromEntries(wanted.map((name) => [name, fields[name]])) }
}

const BLOCKS = ['paragraph', 'codeBlock', 'heading', 'bulletList', 'orderedList', 'listItem', 'blockquote', 'rule']

function isDocument(node) {
  if (node === null) return true
  const isGood = (one) =>
    one.type === 'text'
      ? typeof one.text === 'string' && one.text !== ''
      : one.type === 'hardBreak' || (BLOCKS.includes(one.type) && (one.content ?? []).every(isGood))
  return node?.type === 'doc' && node.version === 1 && Array.isArray(node.content) && node.content.every(isGood)
}

function statusOf(name) {
  return { name, statusCategory: { key: CATEGORIES[name] } }
}

function now(second = 0) {
  return `2026-11-15T20:00:${String(second % 60).padStart(2, '0')}.000+0000`
}

function ok(body) {
  return { status: 200, body }
}

function refuse(status, message, errors = {}) {
  return { status, body: { errorMessages: message === null ? [] : [message], errors } }
}
