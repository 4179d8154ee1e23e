// Pull requests: list, one, new, changed, merged, and what they contain.
import * as z from 'zod/mini'
import type { Pull } from '../../../contract/pull.ts'
import { diffPull, patchPull } from '../../../forge/pulls/diff-pull.ts'
import { type Node, readField, tabulate } from '../../describe/node.ts'
import { describePull } from '../../describe/pull.ts'
import { COMMIT_REST, FILE_REST, ONE_PULL_REST, PULL_REST } from '../../describe/rest-tables.ts'
import { observe, recordOf } from '../../open-gh.ts'
import { changeOwnPull, mergeOwnPull, openOwnPull } from '../../pr/own-pull.ts'
import { OWNER } from '../../which-repo.ts'
import { ApiError, notFound } from '../answer.ts'
import { created, defineRoute, ok, pullOf, type RestCall, type Route, tabulateAll, word } from './define-route.ts'

const change = z.strictObject({
  title: z.optional(z.string().check(z.minLength(1))),
  body: z.optional(z.nullable(z.string())),
  base: z.optional(z.string()),
  state: z.optional(z.enum(['open', 'closed'])),
})
const fresh = z.strictObject({
  title: z.string().check(z.minLength(1)),
  head: z.string(),
  base: z.string(),
  body: z.optional(z.nullable(z.string())),
  draft: z.optional(z.boolean()),
})
const merge = z.strictObject({
  commit_title: z.optional(z.string()),
  commit_message: z.optional(z.string()),
  sha: z.optional(z.string()),
  merge_method: z.optional(z.enum(['merge', 'squash', 'rebase'])),
})
const withoutOwner = (head: string) => head.replace(new RegExp(`^${OWNER}:`), '')

async function one({ gh }: RestCall, pull: Pull) {
  return tabulate(describePull(gh, pull), ONE_PULL_REST, gh)
}

async function list({ gh, query }: RestCall) {
  const state = word(query, 'state', ['open', 'closed', 'all'], 'open')
  const sort = word(query, 'sort', ['created', 'updated'], 'created')
  const direction = word(query, 'direction', ['asc', 'desc'], 'desc')
  const head = query.has('head') ? withoutOwner(query.get('head')!) : undefined
  const records = gh.forge.pulls
    .list()
    .filter((pull) => (head ?? pull.head) === pull.head && (query.get('base') ?? pull.base) === pull.base)
    .sort((a, b) => (sort === 'created' ? a.number - b.number : a.updatedAt < b.updatedAt ? -1 : 1))
  const pulls = (await observe(gh, direction === 'desc' ? records.reverse() : records)).filter(
    (pull) => state === 'all' || (pull.state === 'open') === (state === 'open'),
  )
  return ok(await listed(gh, pulls))
}

export function listed(gh: RestCall['gh'], pulls: readonly Pull[]): Promise<Node[]> {
  return tabulateAll(
    pulls.map((pull) => describePull(gh, pull)),
    PULL_REST,
    gh,
  )
}

export const PULL_ROUTES: readonly Route[] = [
  defineRoute('GET pulls', { query: ['state', 'head', 'base', 'sort', 'direction'], isList: true }, list),
  defineRoute('POST pulls', { body: fresh }, async (call) => {
    const { title, head, base, body, draft = false } = call.body
    const wanted = { title, head: withoutOwner(head), base, body: body ?? '', draft }
    const { pull, created: isNew } = await openOwnPull(call.gh, wanted, call.io)
    if (!isNew) throw new ApiError(422, `A pull request already exists for ${OWNER}:${pull.head}: ${pull.url}`)
    return created(await one(call, (await observe(call.gh, [pull]))[0]!))
  }),
  defineRoute('GET pulls/:number', { hasDiff: true }, async (call) => {
    const pull = await pullOf(call)
    if (call.accept === '') return ok(await one(call, pull))
    const read = call.accept === 'diff' ? diffPull : patchPull
    return { status: 200, text: await read(call.gh.forge, recordOf(call.gh, pull.pr.number)) }
  }),
  defineRoute('PATCH pulls/:number', { body: change }, async (call) => {
    const body = call.body.body === null ? '' : call.body.body
    return ok(await one(call, await changeOwnPull(call.gh, await pullOf(call), { ...call.body, body }, call.io)))
  }),
  defineRoute('GET pulls/:number/files', { isList: true }, async (call) => {
    const files = await readField(describePull(call.gh, await pullOf(call)), 'files')
    return ok(await tabulateAll(files as Node[], FILE_REST, call.gh))
  }),
  defineRoute('GET pulls/:number/commits', { isList: true }, async (call) => {
    const commits = (await readField(describePull(call.gh, await pullOf(call)), 'commits')) as Array<{ commit: Node }>
    return ok(
      await tabulateAll(
        commits.map(({ commit }) => commit),
        COMMIT_REST,
        call.gh,
      ),
    )
  }),
  defineRoute('GET pulls/:number/merge', {}, async (call) => {
    if ((await pullOf(call)).state === 'merged') return { status: 204 }
    throw notFound('Not Found')
  }),
  defineRoute('PUT pulls/:number/merge', { body: merge }, async (call) => {
    const { commit_title: subject, commit_message: body, sha: expected, merge_method: method } = call.body
    const outcome = await mergeOwnPull(call.gh, await pullOf(call), { subject, body, expected, method }, call.io)
    // As GitHub answers for a branch with a merge queue.
    if (outcome.boarded) throw new ApiError(405, 'Changes must be made through the merge queue: it is in it now')
    return ok({ sha: outcome.commit, merged: true, message: 'Pull Request successfully merged' })
  }),
]
