// Pull requests: list, one, new, changed, merged, and what they contain.
import * as z from 'zod/mini'
import { closePull, editPull, reopenPull } from '../../../forge/pulls/change-pull.ts'
import { diffPull, patchPull } from '../../../forge/pulls/diff-pull.ts'
import { listCommits } from '../../../forge/pulls/list-commits.ts'
import { observePull, observePulls } from '../../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { pullFiles } from '../../../forge/pulls/pull-files.ts'
import { requireOwnPull } from '../../open-gh.ts'
import { mergeOwnPull } from '../../pr/merge-own-pull.ts'
import { openOwnPull } from '../../pr/open-own-pull.ts'
import { OWNER } from '../../which-repo.ts'
import { ApiError, notFound } from '../answer.ts'
import { created, defineRoute, ok, type RestCall, type Route } from './define-route.ts'
import { apiUrl, describeUser } from './describe-names.ts'
import { describeOnePull, describePull } from './describe-pull.ts'

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

export function pullOf({ gh, params }: RestCall): LocalPull {
  const pull = gh.forge.pulls.read(Number(params.number))
  if (pull !== null) return pull
  throw notFound(`There is no pull request ${params.number}`)
}

async function one(call: RestCall, pull = pullOf(call)) {
  return describeOnePull(call.gh, await observePull(call.gh.forge, call.gh.forge.pulls.read(pull.number) ?? pull))
}

async function list({ gh, query }: RestCall) {
  const state = word(query, 'state', ['open', 'closed', 'all'], 'open')
  const sort = word(query, 'sort', ['created', 'updated'], 'created')
  const direction = word(query, 'direction', ['asc', 'desc'], 'desc')
  const head = query.get('head')?.replace(new RegExp(`^${OWNER}:`), '')
  const pulls = gh.forge.pulls
    .list()
    .filter((pull) => (head ?? pull.head) === pull.head && (query.get('base') ?? pull.base) === pull.base)
    .sort((a, b) => (sort === 'created' ? a.number - b.number : a.updatedAt < b.updatedAt ? -1 : 1))
  if (direction === 'desc') pulls.reverse()
  const views = (await observePulls(gh.forge, pulls)).filter(
    (view) => state === 'all' || (view.state === 'open') === (state === 'open'),
  )
  return ok(views.map((view) => describePull(gh, view)))
}

export function word<T extends string>(
  query: ReadonlyMap<string, string>,
  name: string,
  choices: readonly T[],
  fallback: T,
): T {
  const given = query.get(name)
  const found = given === undefined ? fallback : choices.find((one) => one === given)
  if (found !== undefined) return found
  throw new ApiError(422, `${name} must be one of ${choices.join(', ')}, not ${given}`)
}

async function edit(call: RestCall<z.infer<typeof change>>) {
  const { gh, io, body } = call
  const pull = pullOf(call)
  const { title, base, state } = body
  requireOwnPull(io, pull, state === 'closed' ? 'close' : 'edit')
  const text = body.body === null ? '' : body.body
  if ([title, base, text].some((value) => value !== undefined))
    await editPull(gh.forge, pull.number, { title, base, body: text })
  if (state === 'closed') await closePull(gh.forge, pull.number)
  if (state === 'open') await reopenPull(gh.forge, pull.number)
  return ok(await one(call, pull))
}

export const PULL_ROUTES: readonly Route[] = [
  defineRoute('GET pulls', { query: ['state', 'head', 'base', 'sort', 'direction'], isList: true }, list),
  defineRoute('POST pulls', { body: fresh }, async (call) => {
    const { title, head, base, body, draft = false } = call.body
    const wanted = { title, head: head.replace(new RegExp(`^${OWNER}:`), ''), base, body: body ?? '', draft }
    const { pull, created: isNew } = await openOwnPull(call.gh, wanted, call.io)
    if (!isNew) throw new ApiError(422, `A pull request already exists for ${OWNER}:${pull.head}: ${pull.url}`)
    return created(await one(call, pull))
  }),
  defineRoute('GET pulls/:number', { hasDiff: true }, async (call) => {
    const pull = pullOf(call)
    if (call.accept === 'diff') return { status: 200, text: await diffPull(call.gh.forge, pull) }
    if (call.accept === 'patch') return { status: 200, text: await patchPull(call.gh.forge, pull) }
    return ok(await one(call, pull))
  }),
  defineRoute('PATCH pulls/:number', { body: change }, edit),
  defineRoute('GET pulls/:number/files', { isList: true }, async (call) => {
    const files = await pullFiles(call.gh.forge, pullOf(call))
    return ok(
      files.map(({ path, previousPath, status, additions, deletions, sha, patch }) => ({
        sha,
        filename: path,
        status,
        additions,
        deletions,
        changes: additions + deletions,
        patch: patch === '' ? undefined : patch,
        previous_filename: previousPath,
      })),
    )
  }),
  defineRoute('GET pulls/:number/commits', { isList: true }, async (call) => {
    const commits = await listCommits(call.gh.forge, pullOf(call))
    return ok(
      commits.map(({ sha, subject, body, name, email, at }) => ({
        sha,
        node_id: `C_${sha}`,
        commit: {
          message: body === '' ? subject : `${subject}\n\n${body}`,
          author: { name, email, date: at },
          committer: { name, email, date: at },
        },
        author: describeUser(name),
        url: apiUrl(call.gh, `commits/${sha}`),
      })),
    )
  }),
  defineRoute('GET pulls/:number/merge', {}, async (call) => {
    const { state } = await observePull(call.gh.forge, pullOf(call))
    if (state === 'merged') return { status: 204 }
    throw notFound('Not Found')
  }),
  defineRoute('PUT pulls/:number/merge', { body: merge }, async (call) => {
    const { commit_title: subject, commit_message: body, sha: expected, merge_method: method } = call.body
    const outcome = await mergeOwnPull(call.gh, pullOf(call), { subject, body, expected, method }, call.io)
    // As GitHub answers for a branch with a merge queue.
    if (outcome.boarded) throw new ApiError(405, 'Changes must be made through the merge queue: it is in it now')
    return ok({ sha: outcome.commit, merged: true, message: 'Pull Request successfully merged' })
  }),
]
