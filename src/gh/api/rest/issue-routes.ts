// Issues, and the conversation of issues and pull requests. A pull request is an issue too, as on GitHub.
import * as z from 'zod/mini'
import { commentOnPull, editComment } from '../../../forge/pulls/change-pull.ts'
import { hasName, type NameChange, requireNames } from '../../../forge/pulls/name-list.ts'
import { localAuthor } from '../../../inside/local-author.ts'
import { describeIssue, describeIssueComment, toIssue } from '../../describe/issue.ts'
import { type Node, tabulate } from '../../describe/node.ts'
import { describePull } from '../../describe/pull.ts'
import { COMMENT_REST, ISSUE_REST, PULL_AS_ISSUE_REST } from '../../describe/rest-tables.ts'
import { conversationOf, describeComment } from '../../describe/review.ts'
import { numericId, parseIssueCommentId } from '../../ids.ts'
import {
  changeLocalIssue,
  createLocalIssue,
  findNumbered,
  issueStore,
  type Numbered,
  pullAmong,
} from '../../issue/local-issues.ts'
import { type Gh, observeAll, readPull } from '../../open-gh.ts'
import { changeOwnPull } from '../../pr/own-pull.ts'
import { ApiError, notFound } from '../answer.ts'
import { created, defineRoute, ok, type RestCall, type Route, sorted, tabulateAll, word } from './define-route.ts'

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

/** The issue, if there are both. */
function row(gh: Gh, { issue, pull }: Numbered): Promise<Node> {
  return issue === null
    ? tabulate(describePull(gh, pull!), PULL_AS_ISSUE_REST, gh)
    : tabulate(describeIssue(gh, toIssue(gh, issue)), ISSUE_REST, gh)
}

async function list({ gh, io, query }: RestCall) {
  const state = word(query, 'state', ['open', 'closed', 'all'], 'open')
  const labels = query.get('labels')?.split(',') ?? []
  const { issues = [] } = (await (await issueStore(gh))?.list()) ?? {}
  const all = await Promise.all([
    ...issues.map((issue) => row(gh, { issue, pull: null })),
    ...(await observeAll(gh)).map((pull) => row(gh, { issue: null, pull })),
  ])
  const me = (login: string | undefined) => (login === '@me' ? localAuthor(io.env) : login)
  const [assignee, creator] = [me(query.get('assignee')), me(query.get('creator'))]
  const found = all
    .filter((one) => state === 'all' || one.state === state)
    .filter((one) => labels.every((label) => hasName(namesIn(one.labels, 'name'), label)))
    .filter((one) => matchesAssignee(namesIn(one.assignees, 'login'), assignee))
    .filter((one) => creator === undefined || (one.user as Node).login === creator)
  return ok(sorted(found, query, 'desc'))
}

function namesIn(list: unknown, key: string): string[] {
  return (list as Node[]).map((one) => String(one[key]))
}

function matchesAssignee(assignees: string[], wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  if (wanted === 'none' || wanted === '*') return (assignees.length === 0) === (wanted === 'none')
  return hasName(assignees, wanted)
}

/** The whole list replaces the previous one. */
function replace(before: readonly string[], wanted: readonly string[] | undefined): NameChange | undefined {
  if (wanted === undefined) return undefined
  return { add: wanted, remove: before.filter((name) => !hasName(wanted, name)) }
}

interface Edit {
  title?: string | undefined
  body?: string | undefined
  labels?: NameChange | undefined
  assignees?: NameChange | undefined
  state?: 'open' | 'closed' | undefined
}

/** Whichever of the two it is; as it is afterwards. */
async function change(
  { gh, io, params }: RestCall,
  edit: (before: { labels: string[]; assignees: string[] }) => Edit,
  closed: 'closed' | 'cancelled' = 'closed',
): Promise<Node> {
  const number = Number(params.number)
  const pull = await pullAmong(gh, number)
  if (pull !== null) {
    const { labels = [], assignees = [] } = pull
    return row(gh, { issue: null, pull: await changeOwnPull(gh, pull, edit({ labels, assignees }), io) })
  }
  const issue = await changeLocalIssue(
    gh,
    number,
    (before) => {
      const { state, ...rest } = edit(before)
      return { ...rest, state: state === 'closed' ? closed : state }
    },
    io,
  )
  return row(gh, { issue, pull: null })
}

/** GitHub accepts the bare list too. */
const labelList = z.union([z.strictObject({ labels: names }), names])
const assigneeList = z.strictObject({ assignees: names })
const given = (body: z.infer<typeof labelList>) => requireNames(Array.isArray(body) ? body : body.labels)
const LIST_QUERY = ['state', 'labels', 'assignee', 'creator', 'sort', 'direction', 'since']

const ISSUES: readonly Route[] = [
  defineRoute('GET issues', { query: LIST_QUERY, isList: true }, list),
  defineRoute('POST issues', { body: newIssue }, async ({ gh, io, body }) => {
    const { title, labels = [], assignees = [] } = body
    const issue = await createLocalIssue(gh, { title, body: body.body ?? '', labels, assignees }, io)
    return created(await row(gh, { issue, pull: null }))
  }),
  defineRoute('GET issues/:number', {}, async ({ gh, params }) =>
    ok(await row(gh, await findNumbered(gh, Number(params.number)))),
  ),
  defineRoute('PATCH issues/:number', { body: issueChange }, async (call) => {
    const { title, state, labels, assignees, state_reason: reason } = call.body
    const body = call.body.body === null ? '' : call.body.body
    const edit = (before: { labels: string[]; assignees: string[] }) => {
      const lists = { labels: replace(before.labels, labels), assignees: replace(before.assignees, assignees) }
      return { title, body, state, ...lists }
    }
    return ok(await change(call, edit, reason === 'not_planned' ? 'cancelled' : 'closed'))
  }),
  defineRoute('GET issues/:number/labels', { isList: true }, async ({ gh, params }) =>
    ok((await row(gh, await findNumbered(gh, Number(params.number)))).labels),
  ),
  defineRoute('POST issues/:number/labels', { body: labelList }, async (call) =>
    ok((await change(call, () => ({ labels: { add: given(call.body) } }))).labels),
  ),
  defineRoute('PUT issues/:number/labels', { body: labelList }, async (call) =>
    ok((await change(call, ({ labels }) => ({ labels: replace(labels, given(call.body)) }))).labels),
  ),
  defineRoute('DELETE issues/:number/labels/*name', {}, async (call) => {
    const after = await change(call, ({ labels }) => ({
      labels: { remove: [requireCarried(labels, call.params.name!)] },
    }))
    return ok(after.labels)
  }),
  defineRoute('POST issues/:number/assignees', { body: assigneeList }, async (call) =>
    created(await change(call, () => ({ assignees: { add: call.body.assignees } }))),
  ),
  defineRoute('DELETE issues/:number/assignees', { body: assigneeList }, async (call) =>
    ok(await change(call, () => ({ assignees: { remove: call.body.assignees } }))),
  ),
]

function requireCarried(labels: readonly string[], name: string): string {
  if (hasName(labels, name)) return name
  throw notFound(`Label does not exist: ${name}`)
}

const written = z.strictObject({ body: text })

function conversation(gh: Gh, { issue, pull }: Numbered): Node[] {
  const described = issue === null ? null : toIssue(gh, issue)
  return [
    ...(issue?.comments ?? []).map((_, index) => describeIssueComment(described!, index)),
    ...(pull === null ? [] : conversationOf(pull).map((one) => describeComment(pull, one))),
  ]
}

async function comments({ gh, io, params, query }: RestCall) {
  const both = await findNumbered(gh, Number(params.number))
  if (both.issue !== null && both.pull !== null)
    io.note(
      `note: issue ${params.number} and pull request ${params.number} both exist here; the comments of both are listed`,
    )
  const since = query.get('since')
  const times = new Map(since === undefined ? [] : [['since', since]])
  return ok(sorted(await tabulateAll(conversation(gh, both), COMMENT_REST, gh), times, 'asc'))
}

async function addComment({ gh, io, params, body: { body } }: RestCall<z.infer<typeof written>>) {
  const number = Number(params.number)
  if (body.trim() === '') throw new ApiError(422, 'body is blank')
  const isPull = (await pullAmong(gh, number)) !== null
  if (isPull) await commentOnPull(gh.forge, number, { body })
  const issue = isPull ? null : await changeLocalIssue(gh, number, () => ({ comment: body }), io)
  const all = conversation(gh, { issue, pull: isPull ? await readPull(gh, number) : null })
  return created(await tabulate(all.at(-1)!, COMMENT_REST, gh))
}

async function findComment({ gh, params }: RestCall): Promise<{ node: Node; pull: number | null }> {
  for (const pull of (await observeAll(gh)).reverse()) {
    const found = conversationOf(pull).find(({ id }) => String(numericId(id)) === params.id)
    if (found) return { node: describeComment(pull, found), pull: pull.pr.number }
  }
  const { issue: number, index } = parseIssueCommentId(Number(params.id))
  const issue = number > 0 ? await (await issueStore(gh))?.read(number) : null
  if (issue?.comments[index]) return { node: describeIssueComment(toIssue(gh, issue), index), pull: null }
  throw notFound(`There is no comment ${params.id}`)
}

export const ISSUE_ROUTES: readonly Route[] = [
  ...ISSUES,
  defineRoute('GET issues/:number/comments', { query: ['since'], isList: true }, comments),
  defineRoute('POST issues/:number/comments', { body: written }, addComment),
  defineRoute('GET issues/comments/:id', {}, async (call) =>
    ok(await tabulate((await findComment(call)).node, COMMENT_REST, call.gh)),
  ),
  defineRoute('PATCH issues/comments/:id', { body: written }, async (call) => {
    const { node, pull } = await findComment(call)
    if (pull === null) throw new ApiError(501, 'comments of an issue stay as they were written; add another one')
    await editComment(call.gh.forge, pull, { commentId: String(node.localId), body: call.body.body })
    return ok(await tabulate((await findComment(call)).node, COMMENT_REST, call.gh))
  }),
]
