// Mutations of pull requests themselves.
import { closePull, editPull, reopenPull } from '../../../forge/pulls/change-pull.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { requireOwnPull } from '../../open-gh.ts'
import { mergeOwnPull } from '../../pr/merge-own-pull.ts'
import { openOwnPull } from '../../pr/open-own-pull.ts'
import { defineMutation, type Mutation, type MutationContext } from './define-mutation.ts'
import { actor } from './describe-basics.ts'
import { pullNode } from './describe-pull-node.ts'
import { refuse } from './field.ts'
import { requirePullNode } from './find-node.ts'
import { requireNode } from './node-ids.ts'

interface OnePull extends Record<string, unknown> {
  pullRequestId: string
}

function ownPull({ gh, io }: MutationContext, id: unknown, what: string): LocalPull {
  const pull = requirePullNode(gh, requireNode(id, 'pull').number)
  requireOwnPull(io, pull, what)
  return pull
}

/** As it is afterwards. */
async function after({ gh, io }: MutationContext, { number }: LocalPull) {
  return { actor: actor(io.env.AO_SESSION ?? ''), pullRequest: await pullNode(gh, requirePullNode(gh, number)) }
}

function changing(what: string, change: (context: MutationContext, pull: LocalPull) => Promise<unknown>): Mutation {
  return defineMutation<OnePull>(['pullRequestId'], async ({ pullRequestId }, context) => {
    const pull = ownPull(context, pullRequestId, what)
    await change(context, pull)
    return after(context, pull)
  })
}

interface NewPull extends Record<string, unknown> {
  repositoryId: string
  baseRefName: string
  headRefName: string
  title: string
  body?: string | null
  draft?: boolean | null
}

interface PullChange extends OnePull {
  title?: string | null
  body?: string | null
  baseRefName?: string | null
  state?: string | null
}

interface Merge extends OnePull {
  commitHeadline?: string | null
  commitBody?: string | null
  expectedHeadOid?: string | null
  mergeMethod?: string | null
}

export const PULL_MUTATIONS: Readonly<Record<string, Mutation>> = {
  createPullRequest: defineMutation<NewPull>(
    ['repositoryId', 'baseRefName', 'headRefName', 'title', 'body', 'draft'],
    async ({ repositoryId, baseRefName: base, headRefName: head, title, body, draft }, context) => {
      requireNode(repositoryId, 'repository')
      const wanted = {
        title,
        body: body ?? '',
        head: head.replace(/^refs\/heads\//, ''),
        base: base.replace(/^refs\/heads\//, ''),
        draft: draft ?? false,
      }
      const { pull, created } = await openOwnPull(context.gh, wanted, context.io)
      if (!created) throw refuse(`A pull request already exists for ${pull.head}: ${pull.url}`, 'UNPROCESSABLE')
      return after(context, pull)
    },
  ),
  updatePullRequest: defineMutation<PullChange>(
    ['pullRequestId', 'title', 'body', 'baseRefName', 'state'],
    async ({ pullRequestId, title, body, baseRefName, state }, context) => {
      const pull = ownPull(context, pullRequestId, state === 'CLOSED' ? 'close' : 'edit')
      const change = { title: title ?? undefined, body: body ?? undefined, base: baseRefName ?? undefined }
      if (Object.values(change).some((value) => value !== undefined))
        await editPull(context.gh.forge, pull.number, change)
      if (state === 'CLOSED') await closePull(context.gh.forge, pull.number)
      if (state === 'OPEN') await reopenPull(context.gh.forge, pull.number)
      return after(context, pull)
    },
  ),
  closePullRequest: changing('close', ({ gh }, { number }) => closePull(gh.forge, number)),
  reopenPullRequest: changing('reopen', ({ gh }, { number }) => reopenPull(gh.forge, number)),
  markPullRequestReadyForReview: changing('edit', ({ gh }, { number }) => editPull(gh.forge, number, { draft: false })),
  convertPullRequestToDraft: changing('edit', ({ gh }, { number }) => editPull(gh.forge, number, { draft: true })),
  mergePullRequest: defineMutation<Merge>(
    ['pullRequestId', 'commitHeadline', 'commitBody', 'expectedHeadOid', 'mergeMethod'],
    async ({ pullRequestId, commitHeadline, commitBody, expectedHeadOid, mergeMethod }, context) => {
      const pull = requirePullNode(context.gh, requireNode(pullRequestId, 'pull').number)
      const method = mergeMethod == null ? undefined : (mergeMethod.toLowerCase() as 'merge' | 'squash' | 'rebase')
      const options = {
        method,
        expected: expectedHeadOid ?? undefined,
        subject: commitHeadline ?? undefined,
        body: commitBody ?? undefined,
      }
      await mergeOwnPull(context.gh, pull, options, context.io)
      return after(context, pull)
    },
  ),
  requestReviews: defineMutation<OnePull & { userIds?: string[] | null; union?: boolean | null }>(
    ['pullRequestId', 'userIds', 'union'],
    async ({ pullRequestId, userIds, union }, context) => {
      const pull = ownPull(context, pullRequestId, 'edit')
      const add = (userIds ?? []).map((id) => requireNode(id, 'user').name)
      const remove = union ? [] : pull.reviewers.filter((login) => !add.includes(login))
      await editPull(context.gh.forge, pull.number, { reviewers: { add, remove } })
      return after(context, pull)
    },
  ),
}
