// Mutations of pull requests themselves.
import type { Pull } from '../../../contract/pull.ts'
import { describeUser } from '../../describe/names.ts'
import { refuse } from '../../describe/node.ts'
import { describePull } from '../../describe/pull.ts'
import { changeOwnPull, mergeOwnPull, openOwnPull, type PullChange } from '../../pr/own-pull.ts'
import { defineMutation, type Mutation, type MutationContext } from './define-mutation.ts'
import { requireNode, requirePull } from './nodes.ts'

type Optional<T extends string> = { [K in T]?: string | null }
type OnePull = { pullRequestId: string }

/** As it is afterwards. */
function answer({ gh, io }: MutationContext, pull: Pull) {
  return { actor: describeUser(io.env.AO_SESSION ?? ''), pullRequest: describePull(gh, pull) }
}

async function change(context: MutationContext, id: string, wanted: (pull: Pull) => PullChange) {
  const pull = await requirePull(context.gh, requireNode(id, 'pull').number)
  return answer(context, await changeOwnPull(context.gh, pull, wanted(pull), context.io))
}

function changing(wanted: PullChange): Mutation {
  return defineMutation<OnePull>(['pullRequestId'], ({ pullRequestId }, context) =>
    change(context, pullRequestId, () => wanted),
  )
}

const STATES: Record<string, PullChange['state']> = { OPEN: 'open', CLOSED: 'closed' }
const branchName = (ref: string) => ref.replace(/^refs\/heads\//, '')

export const PULL_MUTATIONS: Readonly<Record<string, Mutation>> = {
  createPullRequest: defineMutation<
    {
      repositoryId: string
      baseRefName: string
      headRefName: string
      title: string
      draft?: boolean | null
    } & Optional<'body'>
  >(
    ['repositoryId', 'baseRefName', 'headRefName', 'title', 'body', 'draft'],
    async ({ repositoryId, baseRefName, headRefName, title, body, draft }, context) => {
      requireNode(repositoryId, 'repository')
      const [head, base] = [branchName(headRefName), branchName(baseRefName)]
      const wanted = { title, body: body ?? '', head, base, draft: draft ?? false }
      const { pull, created } = await openOwnPull(context.gh, wanted, context.io)
      if (!created) throw refuse(`A pull request already exists for ${pull.head}: ${pull.url}`, 'UNPROCESSABLE')
      return answer(context, await requirePull(context.gh, pull.number))
    },
  ),
  updatePullRequest: defineMutation<OnePull & Optional<'title' | 'body' | 'baseRefName' | 'state'>>(
    ['pullRequestId', 'title', 'body', 'baseRefName', 'state'],
    ({ pullRequestId, title, body, baseRefName, state }, context) =>
      change(context, pullRequestId, () => ({
        title: title ?? undefined,
        body: body ?? undefined,
        base: baseRefName ?? undefined,
        state: STATES[state ?? ''],
      })),
  ),
  closePullRequest: changing({ state: 'closed' }),
  reopenPullRequest: changing({ state: 'open' }),
  markPullRequestReadyForReview: changing({ draft: false }),
  convertPullRequestToDraft: changing({ draft: true }),
  mergePullRequest: defineMutation<
    OnePull & Optional<'commitHeadline' | 'commitBody' | 'expectedHeadOid' | 'mergeMethod'>
  >(
    ['pullRequestId', 'commitHeadline', 'commitBody', 'expectedHeadOid', 'mergeMethod'],
    async ({ pullRequestId, commitHeadline, commitBody, expectedHeadOid, mergeMethod }, context) => {
      const pull = await requirePull(context.gh, requireNode(pullRequestId, 'pull').number)
      const options = {
        method: (mergeMethod?.toLowerCase() as 'merge' | 'squash' | 'rebase' | undefined) ?? undefined,
        expected: expectedHeadOid ?? undefined,
        subject: commitHeadline ?? undefined,
        body: commitBody ?? undefined,
      }
      await mergeOwnPull(context.gh, pull, options, context.io)
      return answer(context, await requirePull(context.gh, pull.pr.number))
    },
  ),
  requestReviews: defineMutation<OnePull & { userIds?: string[] | null; union?: boolean | null }>(
    ['pullRequestId', 'userIds', 'union'],
    ({ pullRequestId, userIds, union }, context) =>
      change(context, pullRequestId, ({ reviewers = [] }) => {
        const add = (userIds ?? []).map((id) => requireNode(id, 'user').id)
        return { reviewers: { add, remove: union ? [] : reviewers.filter((login) => !add.includes(login)) } }
      }),
  ),
}
