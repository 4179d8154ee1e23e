// Comments on lines of a pull request.
import * as z from 'zod/mini'
import { commentOnPull, editComment, replyToComment } from '../../../forge/pulls/change-pull.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { numericId } from '../../ids.ts'
import { ApiError, notFound } from '../answer.ts'
import { locateComments } from '../locate-comments.ts'
import { created, defineRoute, ok, type RestCall, type Route } from './define-route.ts'
import { describeLineComments } from './describe-line-comment.ts'
import { pullOf, word } from './pull-routes.ts'

const text = z.string().check(z.minLength(1))
const newComment = z.strictObject({
  body: text,
  path: z.optional(z.string()),
  line: z.optional(z.int().check(z.positive())),
  commit_id: z.optional(z.string()),
  side: z.optional(z.enum(['RIGHT'])),
  subject_type: z.optional(z.enum(['line', 'file'])),
  in_reply_to: z.optional(z.int()),
})

interface Found {
  pull: LocalPull
  comment: LocalPull['comments'][number]
}

/** Newest pull requests first: an id nearly always belongs to one of those. */
function findComment({ gh, params }: RestCall): Found {
  for (const pull of gh.forge.pulls.list().reverse()) {
    const comment = pull.comments.find(({ id, path }) => path !== undefined && String(numericId(id)) === params.id)
    if (comment) return { pull, comment }
  }
  throw notFound(`There is no review comment ${params.id}`)
}

function commentIn(pull: LocalPull, id: number): LocalPull['comments'][number] {
  const found = pull.comments.find((one) => one.path !== undefined && numericId(one.id) === id)
  if (found) return found
  throw notFound(`Pull request ${pull.number} has no review comment ${id}`)
}

async function last(call: RestCall, pull: LocalPull) {
  const comments = await describeLineComments(call.gh, pull, await locateComments(call.gh.forge, pull))
  return comments.at(-1)!
}

async function list(call: RestCall, pulls: readonly LocalPull[]) {
  const sort = word(call.query, 'sort', ['created', 'updated'], 'created')
  const direction = word(call.query, 'direction', ['asc', 'desc'], 'asc')
  const since = call.query.get('since') ?? ''
  const all = []
  for (const pull of pulls)
    all.push(...(await describeLineComments(call.gh, pull, await locateComments(call.gh.forge, pull))))
  const field = sort === 'created' ? 'created_at' : 'updated_at'
  const found = all.filter(({ updated_at }) => updated_at >= since).sort((a, b) => (a[field] < b[field] ? -1 : 1))
  return ok(direction === 'desc' ? found.reverse() : found)
}

async function add(call: RestCall<z.infer<typeof newComment>>) {
  const pull = pullOf(call)
  const { body, path, line, in_reply_to: replyTo, commit_id: commit, subject_type: subject } = call.body
  if (replyTo !== undefined) return created(await last(call, await reply(call, pull, { id: replyTo, body })))
  if (path === undefined || (line === undefined && subject !== 'file'))
    throw new ApiError(422, 'path and line are missing: they say what the comment is about')
  if (commit !== undefined && !pull.heads.some(({ sha }) => sha === commit))
    throw new ApiError(422, `commit_id ${commit} is not a head of pull request ${pull.number}`)
  return created(await last(call, await commentOnPull(call.gh.forge, pull.number, { body, path, line })))
}

function reply(call: RestCall, pull: LocalPull, { id, body }: { id: number; body: string }): Promise<LocalPull> {
  return replyToComment(call.gh.forge, pull.number, { commentId: commentIn(pull, id).id, body })
}

const SORTED = { query: ['sort', 'direction', 'since'], isList: true } as const

export const PULL_COMMENT_ROUTES: readonly Route[] = [
  defineRoute('GET pulls/:number/comments', SORTED, (call) => list(call, [pullOf(call)])),
  defineRoute('GET pulls/comments', SORTED, (call) => list(call, call.gh.forge.pulls.list())),
  defineRoute('POST pulls/:number/comments', { body: newComment }, add),
  defineRoute('POST pulls/:number/comments/:id/replies', { body: z.strictObject({ body: text }) }, async (call) => {
    const pull = pullOf(call)
    return created(await last(call, await reply(call, pull, { id: Number(call.params.id), body: call.body.body })))
  }),
  defineRoute('GET pulls/comments/:id', {}, async (call) => {
    const { pull, comment } = findComment(call)
    const placed = (await locateComments(call.gh.forge, pull)).filter(({ id }) => id === comment.id)
    return ok((await describeLineComments(call.gh, pull, placed))[0])
  }),
  defineRoute('PATCH pulls/comments/:id', { body: z.strictObject({ body: text }) }, async (call) => {
    const { pull, comment } = findComment(call)
    const after = await editComment(call.gh.forge, pull.number, { commentId: comment.id, body: call.body.body })
    const placed = (await locateComments(call.gh.forge, after)).filter(({ id }) => id === comment.id)
    return ok((await describeLineComments(call.gh, after, placed))[0])
  }),
]
