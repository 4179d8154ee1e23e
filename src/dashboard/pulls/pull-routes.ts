// Routes of pull requests: all projects' together, one with all details, and what people do to it.
import {
  commitsAnswer,
  diffAnswer,
  doneAnswer,
  logAnswer,
  pullDetail,
  pullMergeAnswer,
  pullsAnswer,
  reviewAnswer,
  suggestionsAnswer,
} from '../../contract/dashboard/answers.ts'
import {
  pullMergeBody,
  replyBody,
  resolveBody,
  reviewBody,
  suggestionsBody,
  takeBackBody,
} from '../../contract/dashboard/requests.ts'
import { sendImage } from '../../http/send-file.ts'
import { route } from '../server/dashboard-route.ts'
import { DIFF_QUERY, IMAGE_QUERY, readDiffRequest, readImageRequest } from '../server/read-diff-request.ts'
import { close, merge, reply, rerun, resolve, review } from './pull-change.ts'
import { commitsOf, diffOf, fileOf } from './pull-diff.ts'
import { findPull, listPulls, readDetail, readLog } from './read-pull.ts'
import { applySuggestions } from './suggestions/apply-suggestions.ts'
import { takeBackChange } from './suggestions/take-back.ts'

const ONE = '/api/projects/:project/pulls/:number'
const STATES = { approve: 'approved', request_changes: 'changes_requested', comment: 'commented' } as const

export const PULL_ROUTES = [
  route({
    method: 'GET',
    path: '/api/pulls',
    summary: 'The pull requests of all projects, with their checks',
    query: { state: 'open (default) or all' },
    answer: pullsAnswer,
    handle: async ({ context, query }) => listPulls(context, query.get('state') ?? 'open'),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'A pull request with its reviews and remarks',
    answer: pullDetail,
    handle: async ({ context, params }) => readDetail(await findPull(context, params)),
  }),
  route({
    method: 'GET',
    path: `${ONE}/diff`,
    summary: 'Changes of a pull request: all of it, one commit, or the changes since a reviewed commit',
    query: DIFF_QUERY,
    answer: diffAnswer,
    handle: async ({ context, params, query }) => {
      const { reading, read } = await findPull(context, params)
      return diffOf(context, { reading, read }, readDiffRequest(query))
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/image`,
    summary: 'A picture that it changes, before or after the change; only to be shown as a picture',
    query: IMAGE_QUERY,
    stream: 'image/*',
    handle: async ({ context, params, query, response }) => {
      const { reading, read } = await findPull(context, params)
      return sendImage(response, await fileOf(context, { reading, read }, readImageRequest(query)), 'all')
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/commits`,
    summary: 'Its commits, oldest first',
    answer: commitsAnswer,
    handle: async ({ context, params }) => {
      const { reading, read } = await findPull(context, params)
      return { commits: await commitsOf(context, { reading, read }) }
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/checks/:check/log`,
    summary: 'The end of what a check of its head printed',
    answer: logAnswer,
    handle: async ({ context, params }) => ({ log: await readLog(await findPull(context, params), params.check) }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/checks/rerun`,
    summary: 'Run the failed checks of its head again',
    answer: doneAnswer,
    handle: async ({ context, params }) => {
      await rerun(await findPull(context, params))
      return { ok: true as const }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/review`,
    summary: 'One review of exactly this head, with all its comments',
    body: reviewBody,
    answer: reviewAnswer,
    handle: async ({ context, params, body }) => {
      const { verdict, body: text, sha, comments } = body
      const given = { state: STATES[verdict], body: text, comments, head: sha }
      return { review: await review(await findPull(context, params), given) }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/resolve`,
    summary: 'Mark a remark as settled, or as open again',
    body: resolveBody,
    answer: doneAnswer,
    handle: async ({ context, params, body }) => {
      await resolve(await findPull(context, params), body)
      return { ok: true as const }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/reply`,
    summary: 'Reply in a review thread',
    body: replyBody,
    answer: doneAnswer,
    handle: async ({ context, params, body }) => {
      await reply(await findPull(context, params), body)
      return { ok: true as const }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/suggestions`,
    summary: 'Apply suggestions of remarks as one commit, or ask the agent to, where that would disturb it',
    body: suggestionsBody,
    answer: suggestionsAnswer,
    handle: async ({ context, params, body }) => applySuggestions(await findPull(context, params), body),
  }),
  route({
    method: 'POST',
    path: `${ONE}/take-back`,
    summary:
      'Take back a file or a hunk of the change, as a commit, or as a message to the agent where that would disturb it',
    body: takeBackBody,
    answer: suggestionsAnswer,
    handle: async ({ context, params, body }) => takeBackChange(await findPull(context, params), body),
  }),
  route({
    method: 'POST',
    path: `${ONE}/merge`,
    summary: 'Merge exactly this head',
    body: pullMergeBody,
    answer: pullMergeAnswer,
    handle: async ({ context, params, body }) => merge(await findPull(context, params), body),
  }),
  route({
    method: 'POST',
    path: `${ONE}/close`,
    summary: 'Close it without merging',
    answer: doneAnswer,
    handle: async ({ context, params }) => {
      await close(await findPull(context, params))
      return { ok: true as const }
    },
  }),
]
