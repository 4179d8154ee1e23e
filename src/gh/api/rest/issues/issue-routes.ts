// Issues, and the conversation of issues and pull requests.
import * as z from 'zod/mini'
import { closePull, editPull, reopenPull } from '../../../../forge/pulls/change-pull.ts'
import { hasName, requireNames } from '../../../../forge/pulls/name-list.ts'
import { localAuthor } from '../../../../inside/local-author.ts'
import { requireOwnPull } from '../../../open-gh.ts'
import { notFound } from '../../answer.ts'
import { created, defineRoute, ok, type RestCall, type Route } from '../define-route.ts'
import { word } from '../pull-routes.ts'
import { describeIssue, describePullAsIssue } from './describe-issue.ts'
import { changeNumberedIssue, findNumbered, isPull, issueStore, requireIssueStore, requireOne } from './which-issue.ts'

const text = z.string().check(z.minLength(1))
const names = z.array(z.string())
const newIssue = z.strictObject({
  title: text,
  body: z.optional(z.nullable(z.string())),
  labels: z.optional(names),
  assignees: z.optional(names),
})
const issueChange = z.strictObject({
  title: z.optional(text),
  body: z.optional(z.nullable(z.string())),
  state: z.optional(z.enum(['open', 'closed'])),
  state_reason: z.optional(z.nullable(z.enum(['completed', 'not_planned', 'reopened']))),
  labels: z.optional(names),
  assignees: z.optional(names),
})

async function list({ gh, io, query }: RestCall) {
  const state = word(query, 'state', ['open', 'closed', 'all'], 'open')
  const sort = word(query, 'sort', ['created', 'updated'], 'created')
  const direction = word(query, 'direction', ['asc', 'desc'], 'desc')
  const labels = query.get('labels')?.split(',') ?? []
  const { issues = [] } = (await (await issueStore(gh))?.list()) ?? {}
  const pulls = await Promise.all(gh.forge.pulls.list().map((pull) => describePullAsIssue(gh, pull)))
  const me = (login: string) => (login === '@me' ? localAuthor(io.env) : login)
  const [assignee, creator] = [query.get('assignee'), query.get('creator')]
  const field = sort === 'created' ? 'created_at' : 'updated_at'
  const found = [...issues.map((issue) => describeIssue(gh, issue)), ...pulls]
    .filter((one) => state === 'all' || one.state === state)
    .filter((one) =>
      labels.every((label) =>
        hasName(
          one.labels.map(({ name }) => name),
          label,
        ),
      ),
    )
    .filter((one) => matchesAssignee(one.assignees, assignee === undefined ? undefined : me(assignee)))
    .filter((one) => creator === undefined || one.user.login === me(creator))
    .filter((one) => (one.updated_at ?? '') >= (query.get('since') ?? ''))
    .sort((a, b) => ((a[field] ?? '') < (b[field] ?? '') ? -1 : 1))
  return ok(direction === 'desc' ? found.reverse() : found)
}

function matchesAssignee(assignees: ReadonlyArray<{ login: string }>, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  if (wanted === 'none' || wanted === '*') return (assignees.length === 0) === (wanted === 'none')
  return hasName(
    assignees.map(({ login }) => login),
    wanted,
  )
}

/** The whole list replaces the previous one. */
function replace(before: readonly string[], wanted: readonly string[] | undefined) {
  if (wanted === undefined) return undefined
  return { add: wanted, remove: before.filter((name) => !hasName(wanted, name)) }
}

async function edit(call: RestCall<z.infer<typeof issueChange>>) {
  const { gh, io, body } = call
  const number = Number(call.params.number)
  const one = await requireOne(gh, number)
  const { title, state, labels, assignees, state_reason: reason } = body
  const description = body.body === null ? '' : body.body
  if (isPull(one)) {
    requireOwnPull(io, one, state === 'closed' ? 'close' : 'edit')
    const change = {
      title,
      body: description,
      labels: replace(one.labels, labels),
      assignees: replace(one.assignees, assignees),
    }
    if (Object.values(change).some((value) => value !== undefined)) await editPull(gh.forge, number, change)
    if (state === 'closed') await closePull(gh.forge, number)
    if (state === 'open') await reopenPull(gh.forge, number)
    return ok(await describePullAsIssue(gh, gh.forge.pulls.read(number)!))
  }
  const closed = reason === 'not_planned' ? 'cancelled' : 'closed'
  const after = await changeNumberedIssue(
    gh,
    number,
    (issue) => ({
      title,
      body: description,
      state: state === 'closed' ? closed : state,
      labels: replace(issue.labels, labels),
      assignees: replace(issue.assignees, assignees),
    }),
    io,
  )
  return ok(describeIssue(gh, after))
}

async function changeNames(
  call: RestCall,
  list: 'labels' | 'assignees',
  change: (before: string[]) => { add?: string[]; remove?: string[] },
) {
  const number = Number(call.params.number)
  const one = await requireOne(call.gh, number)
  if (isPull(one)) {
    requireOwnPull(call.io, one, 'edit')
    const after = await editPull(call.gh.forge, number, { [list]: change(one[list]) })
    return describePullAsIssue(call.gh, after)
  }
  return describeIssue(
    call.gh,
    await changeNumberedIssue(call.gh, number, (issue) => ({ [list]: change(issue[list]) }), call.io),
  )
}

/** GitHub accepts the bare list too. */
const labelList = z.union([z.strictObject({ labels: names }), names])
const assigneeList = z.strictObject({ assignees: names })
const namesIn = (body: z.infer<typeof labelList>) => requireNames(Array.isArray(body) ? body : body.labels)
const LIST_QUERY = ['state', 'labels', 'assignee', 'creator', 'sort', 'direction', 'since']

export const ISSUE_ROUTES: readonly Route[] = [
  defineRoute('GET issues', { query: LIST_QUERY, isList: true }, list),
  defineRoute('POST issues', { body: newIssue }, async ({ gh, io, body }) => {
    gh.claim()
    const { title, labels = [], assignees = [] } = body
    const wanted = { title: title.replace(/\s+/g, ' ').trim(), body: body.body ?? '', author: localAuthor(io.env) }
    const store = await requireIssueStore(gh)
    const issue = await store.create({ ...wanted, labels: requireNames(labels), assignees: requireNames(assignees) })
    return created(describeIssue(gh, issue))
  }),
  defineRoute('GET issues/:number', {}, async ({ gh, params }) => {
    const { issue, pull } = await findNumbered(gh, Number(params.number))
    return ok(issue === null ? await describePullAsIssue(gh, pull!) : describeIssue(gh, issue))
  }),
  defineRoute('PATCH issues/:number', { body: issueChange }, edit),
  defineRoute('GET issues/:number/labels', { isList: true }, async ({ gh, params }) => {
    const { issue, pull } = await findNumbered(gh, Number(params.number))
    return ok((issue === null ? await describePullAsIssue(gh, pull!) : describeIssue(gh, issue)).labels)
  }),
  defineRoute('POST issues/:number/labels', { body: labelList }, async (call) =>
    ok((await changeNames(call, 'labels', () => ({ add: namesIn(call.body) }))).labels),
  ),
  defineRoute('PUT issues/:number/labels', { body: labelList }, async (call) =>
    ok(
      (
        await changeNames(call, 'labels', (before) => ({
          add: namesIn(call.body),
          remove: before.filter((name) => !hasName(namesIn(call.body), name)),
        }))
      ).labels,
    ),
  ),
  defineRoute('DELETE issues/:number/labels/*name', {}, async (call) =>
    ok(
      (await changeNames(call, 'labels', (before) => ({ remove: [requireCarried(before, call.params.name!)] }))).labels,
    ),
  ),
  defineRoute('POST issues/:number/assignees', { body: assigneeList }, async (call) =>
    created(await changeNames(call, 'assignees', () => ({ add: call.body.assignees }))),
  ),
  defineRoute('DELETE issues/:number/assignees', { body: assigneeList }, async (call) =>
    ok(await changeNames(call, 'assignees', () => ({ remove: call.body.assignees }))),
  ),
]

function requireCarried(labels: readonly string[], name: string): string {
  if (hasName(labels, name)) return name
  throw notFound(`Label does not exist: ${name}`)
}
