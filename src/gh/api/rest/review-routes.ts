// Reviews, review requests, and comments on lines.
import * as z from 'zod/mini'
import type { Pull, Review, ReviewComment } from '../../../contract/pull.ts'
import { commentOnPull, editComment, replyToComment } from '../../../forge/pulls/change-pull.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { describeUser } from '../../describe/names.ts'
import { type Node, readField, tabulate } from '../../describe/node.ts'
import { describePull } from '../../describe/pull.ts'
import { LINE_COMMENT_REST, PULL_REST, REVIEW_REST, user } from '../../describe/rest-tables.ts'
import { describeLineComment, describeReview, lineComments } from '../../describe/review.ts'
import { numericId } from '../../ids.ts'
import { type Gh, observe, observeAll } from '../../open-gh.ts'
import { changeOwnPull, reviewOwnPull } from '../../pr/own-pull.ts'
import { ApiError, notFound, notHere } from '../answer.ts'
import { created, defineRoute, ok, pullOf, type RestCall, type Route, sorted, tabulateAll } from './define-route.ts'

const STATES = { APPROVE: 'approved', REQUEST_CHANGES: 'changes_requested', COMMENT: 'commented' } as const
const text = z.string().check(z.minLength(1))
const line = z.int().check(z.positive())
const side = z.optional(z.enum(['RIGHT']))
const newReview = z.strictObject({
  event: z.optional(z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT'])),
  body: z.optional(z.string()),
  commit_id: z.optional(z.string()),
  comments: z.optional(z.array(z.strictObject({ path: z.string(), line, body: text, side }))),
})
const reviewers = z.strictObject({
  reviewers: z.optional(z.array(z.string())),
  team_reviewers: z.optional(z.array(z.string()).check(z.maxLength(0))),
})
const newComment = z.strictObject({
  body: text,
  path: z.optional(z.string()),
  line: z.optional(line),
  commit_id: z.optional(z.string()),
  side,
  subject_type: z.optional(z.enum(['line', 'file'])),
  in_reply_to: z.optional(z.int()),
})

async function review(call: RestCall<z.infer<typeof newReview>>) {
  const { event, body = '', comments = [], commit_id: expected } = call.body
  if (event === undefined)
    throw notHere('the local forge keeps no pending reviews: say event, APPROVE, REQUEST_CHANGES or COMMENT')
  const lines = comments.map(({ path, line: at, body: remark }) => ({ path, line: at, body: remark }))
  const wanted = { state: STATES[event], body, comments: lines, expected }
  const after = await reviewOwnPull(call.gh, await pullOf(call), wanted, call.io)
  return ok(await tabulate(describeReview(call.gh, after, after.reviews.at(-1)!), REVIEW_REST, call.gh))
}

async function reviewOf(call: RestCall): Promise<{ pull: Pull; review: Review; node: Node }> {
  const pull = await pullOf(call)
  const found = pull.reviews.find(({ id }) => String(numericId(id)) === call.params.id)
  if (found) return { pull, review: found, node: describeReview(call.gh, pull, found) }
  throw notFound(`Pull request ${pull.pr.number} has no review ${call.params.id}`)
}

async function request(call: RestCall<z.infer<typeof reviewers>>, how: 'add' | 'remove') {
  const { reviewers: names = [] } = call.body
  const pull = await pullOf(call)
  if (names.length === 0) throw new ApiError(422, 'reviewers is missing: a list of logins')
  const after = await changeOwnPull(call.gh, pull, { reviewers: { [how]: names } }, call.io)
  return tabulate(describePull(call.gh, after), PULL_REST, call.gh)
}

const REVIEWS: readonly Route[] = [
  defineRoute('GET pulls/:number/reviews', { isList: true }, async (call) => {
    const reviews = await readField(describePull(call.gh, await pullOf(call)), 'reviews')
    return ok(await tabulateAll(reviews as Node[], REVIEW_REST, call.gh))
  }),
  defineRoute('POST pulls/:number/reviews', { body: newReview }, review),
  defineRoute('GET pulls/:number/reviews/:id', {}, async (call) =>
    ok(await tabulate((await reviewOf(call)).node, REVIEW_REST, call.gh)),
  ),
  defineRoute('GET pulls/:number/reviews/:id/comments', { isList: true }, async (call) => {
    const comments = await readField((await reviewOf(call)).node, 'comments')
    return ok(await tabulateAll(comments as Node[], LINE_COMMENT_REST, call.gh))
  }),
  defineRoute('GET pulls/:number/requested_reviewers', {}, async (call) => {
    const logins = (await pullOf(call)).reviewers ?? []
    return ok({ users: logins.map((login) => user(describeUser(login))), teams: [] })
  }),
  defineRoute('POST pulls/:number/requested_reviewers', { body: reviewers }, async (call) =>
    created(await request(call, 'add')),
  ),
  defineRoute('DELETE pulls/:number/requested_reviewers', { body: reviewers }, async (call) =>
    ok(await request(call, 'remove')),
  ),
]

/** Newest pull requests first: an id nearly always belongs to one of those. */
async function findComment({ gh, params }: RestCall): Promise<{ pull: Pull; comment: ReviewComment }> {
  for (const pull of (await observeAll(gh)).reverse()) {
    const comment = onLine(pull, Number(params.id))
    if (comment) return { pull, comment }
  }
  throw notFound(`There is no review comment ${params.id}`)
}

function onLine({ comments }: Pull, id: number): ReviewComment | undefined {
  return comments.find((one) => one.path !== undefined && numericId(one.id) === id)
}

async function describeAll(gh: Gh, pull: Pull): Promise<Node[]> {
  return (await lineComments(gh, pull)).map((comment) => describeLineComment(gh, pull, comment))
}

/** The comment with this id, or the newest. */
async function comment(gh: Gh, record: LocalPull, id?: string): Promise<Node> {
  const [pull] = await observe(gh, [record])
  const all = await describeAll(gh, pull!)
  return tabulate((id === undefined ? all.at(-1) : all.find((one) => one.localId === id))!, LINE_COMMENT_REST, gh)
}

async function list(call: RestCall, pulls: readonly Pull[]) {
  const nodes: Node[] = []
  for (const pull of pulls) nodes.push(...(await describeAll(call.gh, pull)))
  return ok(sorted(await tabulateAll(nodes, LINE_COMMENT_REST, call.gh), call.query, 'asc'))
}

async function add(call: RestCall<z.infer<typeof newComment>>) {
  const { body, path, line: at, in_reply_to: replyTo, commit_id: commit, subject_type: subject } = call.body
  if (replyTo !== undefined) return reply(call, replyTo, body)
  const { pr, heads = [] } = await pullOf(call)
  if (path === undefined || (at === undefined && subject !== 'file'))
    throw new ApiError(422, 'path and line are missing: they say what the comment is about')
  if (commit !== undefined && !heads.includes(commit))
    throw new ApiError(422, `commit_id ${commit} is not a head of pull request ${pr.number}`)
  return created(await comment(call.gh, await commentOnPull(call.gh.forge, pr.number, { body, path, line: at })))
}

async function reply(call: RestCall, id: number, body: string) {
  const pull = await pullOf(call)
  const { number } = pull.pr
  const found = onLine(pull, id)
  if (!found) throw notFound(`Pull request ${number} has no review comment ${id}`)
  return created(await comment(call.gh, await replyToComment(call.gh.forge, number, { commentId: found.id, body })))
}

const SORTED = { query: ['sort', 'direction', 'since'], isList: true } as const
const written = z.strictObject({ body: text })

export const REVIEW_ROUTES: readonly Route[] = [
  defineRoute('GET pulls/:number/comments', SORTED, async (call) => list(call, [await pullOf(call)])),
  defineRoute('GET pulls/comments', SORTED, async (call) => list(call, await observeAll(call.gh))),
  defineRoute('POST pulls/:number/comments', { body: newComment }, add),
  defineRoute('POST pulls/:number/comments/:id/replies', { body: written }, (call) =>
    reply(call, Number(call.params.id), call.body.body),
  ),
  defineRoute('GET pulls/comments/:id', {}, async (call) => {
    const { pull, comment: found } = await findComment(call)
    const node = (await describeAll(call.gh, pull)).find(({ localId }) => localId === found.id)!
    return ok(await tabulate(node, LINE_COMMENT_REST, call.gh))
  }),
  defineRoute('PATCH pulls/comments/:id', { body: written }, async (call) => {
    const { pull, comment: found } = await findComment(call)
    const change = { commentId: found.id, body: call.body.body }
    return ok(await comment(call.gh, await editComment(call.gh.forge, pull.pr.number, change), found.id))
  }),
  ...REVIEWS,
]
