// The conversation of issues and pull requests.
import * as z from 'zod/mini'
import { commentOnPull, editComment } from '../../../../forge/pulls/change-pull.ts'
import type { LocalPull } from '../../../../forge/pulls/pull-events.ts'
import { numericId, parseIssueCommentId } from '../../../ids.ts'
import { ApiError, notFound } from '../../answer.ts'
import { created, defineRoute, ok, type RestCall, type Route } from '../define-route.ts'
import { describePullComment } from '../describe-pull.ts'
import { describeIssueComment } from './describe-issue.ts'
import { changeNumberedIssue, findNumbered, isPull, issueStore, requireOne } from './which-issue.ts'

const comment = z.strictObject({ body: z.string().check(z.minLength(1)) })

async function comments(call: RestCall) {
  const { issue, pull } = await findNumbered(call.gh, Number(call.params.number))
  if (issue !== null && pull !== null)
    call.io.note(
      `note: issue ${issue.number} and pull request ${issue.number} both exist here; the comments of both are listed`,
    )
  const all = [
    ...(issue?.comments ?? []).map((_, index) => describeIssueComment(call.gh, issue!, index)),
    ...(pull === null ? [] : conversation(pull).map((one) => describePullComment(call.gh, pull, one))),
  ]
  const since = call.query.get('since') ?? ''
  return ok(all.filter(({ updated_at }) => updated_at >= since).sort((a, b) => (a.created_at < b.created_at ? -1 : 1)))
}

function conversation({ comments: all }: LocalPull) {
  return all.filter(({ path }) => path === undefined)
}

async function addComment(call: RestCall<z.infer<typeof comment>>) {
  const { gh, io, body } = call
  const number = Number(call.params.number)
  if (body.body.trim() === '') throw new ApiError(422, 'body is blank')
  if (isPull(await requireOne(gh, number))) {
    const after = await commentOnPull(gh.forge, number, { body: body.body })
    return created(describePullComment(gh, after, after.comments.at(-1)!))
  }
  const after = await changeNumberedIssue(gh, number, () => ({ comment: body.body }), io)
  return created(describeIssueComment(gh, after, after.comments.length - 1))
}

async function findComment({ gh, params }: RestCall) {
  for (const pull of gh.forge.pulls.list().reverse()) {
    const found = conversation(pull).find(({ id }) => String(numericId(id)) === params.id)
    if (found) return { pull, found }
  }
  const { issue: number, index } = parseIssueCommentId(Number(params.id))
  const issue = number > 0 ? await (await issueStore(gh))?.read(number) : null
  if (issue?.comments[index]) return { issue, index }
  throw notFound(`There is no comment ${params.id}`)
}

export const CONVERSATION_ROUTES: readonly Route[] = [
  defineRoute('GET issues/:number/comments', { query: ['since'], isList: true }, comments),
  defineRoute('POST issues/:number/comments', { body: comment }, addComment),
  defineRoute('GET issues/comments/:id', {}, async (call) => {
    const found = await findComment(call)
    if (found.pull) return ok(describePullComment(call.gh, found.pull, found.found))
    return ok(describeIssueComment(call.gh, found.issue, found.index))
  }),
  defineRoute('PATCH issues/comments/:id', { body: comment }, async (call) => {
    const found = await findComment(call)
    if (!found.pull) throw new ApiError(501, 'comments of an issue stay as they were written; add another one')
    const { id } = found.found
    const after = await editComment(call.gh.forge, found.pull.number, { commentId: id, body: call.body.body })
    return ok(describePullComment(call.gh, after, after.comments.find((one) => one.id === id)!))
  }),
]
