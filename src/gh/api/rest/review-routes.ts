// Reviews and review requests.
import * as z from 'zod/mini'
import { editPull, reviewPull } from '../../../forge/pulls/change-pull.ts'
import { observePull } from '../../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { numericId } from '../../ids.ts'
import { requireOwnPull } from '../../open-gh.ts'
import { ApiError, notFound, notHere } from '../answer.ts'
import { locateComments } from '../locate-comments.ts'
import { created, defineRoute, ok, type RestCall, type Route } from './define-route.ts'
import { describeLineComments } from './describe-line-comment.ts'
import { describeUser } from './describe-names.ts'
import { describePull, describeReview } from './describe-pull.ts'
import { pullOf } from './pull-routes.ts'

const STATES = { APPROVE: 'approved', REQUEST_CHANGES: 'changes_requested', COMMENT: 'commented' } as const
const newReview = z.strictObject({
  event: z.optional(z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT'])),
  body: z.optional(z.string()),
  commit_id: z.optional(z.string()),
  comments: z.optional(
    z.array(
      z.strictObject({
        path: z.string(),
        line: z.int().check(z.positive()),
        body: z.string().check(z.minLength(1)),
        side: z.optional(z.enum(['RIGHT'])),
      }),
    ),
  ),
})
const reviewers = z.strictObject({
  reviewers: z.optional(z.array(z.string())),
  team_reviewers: z.optional(z.array(z.string()).check(z.maxLength(0))),
})

async function add(call: RestCall<z.infer<typeof newReview>>) {
  const pull = pullOf(call)
  const { event, body = '', comments = [], commit_id: expected } = call.body
  if (event === undefined)
    throw notHere('the local forge keeps no pending reviews: say event, APPROVE, REQUEST_CHANGES or COMMENT')
  if (event !== 'COMMENT') requireOwnPull(call.io, pull, 'review')
  if (event === 'COMMENT' && body.trim() === '' && comments.length === 0) throw new ApiError(422, 'body is missing')
  const lines = comments.map(({ path, line, body: text }) => ({ path, line, body: text }))
  const after = await reviewPull(call.gh.forge, pull.number, { state: STATES[event], body, comments: lines, expected })
  return ok(describeReview(call.gh, after, after.reviews.at(-1)!))
}

function reviewOf(call: RestCall): { pull: LocalPull; review: LocalPull['reviews'][number] } {
  const pull = pullOf(call)
  const review = pull.reviews.find(({ id }) => String(numericId(id)) === call.params.id)
  if (review) return { pull, review }
  throw notFound(`Pull request ${pull.number} has no review ${call.params.id}`)
}

async function ask(call: RestCall<z.infer<typeof reviewers>>, how: 'add' | 'remove') {
  const pull = pullOf(call)
  requireOwnPull(call.io, pull, 'edit')
  const { reviewers: names = [] } = call.body
  if (names.length === 0) throw new ApiError(422, 'reviewers is missing: a list of logins')
  const after = await editPull(call.gh.forge, pull.number, { reviewers: { [how]: names } })
  return describePull(call.gh, await observePull(call.gh.forge, after))
}

export const REVIEW_ROUTES: readonly Route[] = [
  defineRoute('GET pulls/:number/reviews', { isList: true }, async (call) => {
    const pull = pullOf(call)
    return ok(pull.reviews.map((review) => describeReview(call.gh, pull, review)))
  }),
  defineRoute('POST pulls/:number/reviews', { body: newReview }, add),
  defineRoute('GET pulls/:number/reviews/:id', {}, async (call) => {
    const { pull, review } = reviewOf(call)
    return ok(describeReview(call.gh, pull, review))
  }),
  defineRoute('GET pulls/:number/reviews/:id/comments', { isList: true }, async (call) => {
    const { pull, review } = reviewOf(call)
    const own = (await locateComments(call.gh.forge, pull)).filter(({ reviewId }) => reviewId === review.id)
    return ok(await describeLineComments(call.gh, pull, own))
  }),
  defineRoute('GET pulls/:number/requested_reviewers', {}, async (call) => {
    return ok({ users: pullOf(call).reviewers.map((login) => describeUser(login)), teams: [] })
  }),
  defineRoute('POST pulls/:number/requested_reviewers', { body: reviewers }, async (call) =>
    created(await ask(call, 'add')),
  ),
  defineRoute('DELETE pulls/:number/requested_reviewers', { body: reviewers }, async (call) =>
    ok(await ask(call, 'remove')),
  ),
]
