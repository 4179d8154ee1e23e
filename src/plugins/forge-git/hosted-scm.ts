// The pull requests of a forge elsewhere in the slot's terms: what is the same on all of them, over what each has to say itself.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PullRef, Review, ReviewComment } from '../../contract/pull.ts'
import type { MergedPR, NewComment, NewReview, PrFilter, QueueState, ReviewThreads } from '../../slots/scm.ts'
import type { ScmOptions } from '../http-api/forge-plugin.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { HostedScm } from '../http-api/per-project.ts'
import { checkoutPull } from './checkout-pull.ts'
import { readListed } from './listed-pulls.ts'
import { type ForgePull, type MergeOrder, type MergeTarget, mergeExactly } from './merge-exactly.ts'
import { type PullNames, requireNumber, titleOf } from './pull-names.ts'
import { pullRange } from './pull-range.ts'

type Given = 'name' | 'webUrl' | 'checkAccess' | 'readPullRequests' | 'getCheckLog' | 'readChecks'
type Landing = Omit<HostedScm['landing'], 'readQueue'>

/** Each is asked with the number of a pull request of the project. */
export interface ForgePulls<P extends ForgePull> extends Pick<HostedScm, Given> {
  names: PullNames
  /** Where the forge keeps the head of every pull request: `<headRefs>/<number>/head`. */
  headRefs: 'refs/pull' | 'refs/merge-requests'
  /** How to check that the token may see it. */
  hint: string
  readPull(number: number, project: ProjectConfig): Promise<P>
  /** The newest first. */
  list(filter: PrFilter, project: ProjectConfig): Promise<PullRef[]>
  change(
    number: number,
    change: { state: 'open' | 'closed' } | { base: string },
    project: ProjectConfig,
  ): Promise<unknown>
  review(number: number, review: NewReview, project: ProjectConfig): Promise<Review>
  comment(number: number, comment: NewComment, project: ProjectConfig): Promise<ReviewComment>
  merge(before: P, target: MergeTarget, project: ProjectConfig): Promise<MergedPR | null>
  refusalOf: MergeOrder['refusalOf']
  reply(number: number, reply: Parameters<ReviewThreads['reply']>[1], project: ProjectConfig): Promise<unknown>
  resolve(number: number, change: Parameters<ReviewThreads['resolve']>[1], project: ProjectConfig): Promise<unknown>
  landing: Landing & { readQueue(number: number, project: ProjectConfig, since: string): Promise<QueueState> }
}

export function hostedScm<P extends ForgePull>(forge: ForgePulls<P>, { env, mergeMethod }: ScmOptions): HostedScm {
  const { names, webUrl, name, checkAccess, readPullRequests, getCheckLog, readChecks, landing } = forge
  const numberOf = (pr: PullRef, project: ProjectConfig) => requireNumber(names, pr, project)
  const readPull = (number: number, project: ProjectConfig) => pullOrExplain(forge, number, project)
  const headRef = (number: number | undefined) => `${forge.headRefs}/${number}/head`
  /** Forges answer 404 for what is not there and for what a token may not do. `lacks`: what that means where its pull request is there. */
  const reach = async <T>(
    { pr, project, lacks }: { pr: PullRef; project: ProjectConfig; lacks: string },
    act: (number: number) => Promise<T>,
  ): Promise<T> => {
    const number = numberOf(pr, project)
    try {
      return await act(number)
    } catch (error) {
      if (!hasStatus(error, 404, 410)) throw error
      await readPull(number, project)
      throw new AoError('SCM_FAILED', `${titleOf(names, number)} of ${names.repoOf(project)} ${lacks}`, {
        hint: `Load it again; if that does not help, ${forge.hint}`,
        details: { number, repo: names.repoOf(project), status: 404 },
        cause: error,
      })
    }
  }
  const change = (pr: PullRef, project: ProjectConfig, changed: Parameters<typeof forge.change>[1]) =>
    reach({ pr, project, lacks: 'cannot be changed with this token' }, async (number) => {
      await forge.change(number, changed, project)
    })
  return {
    ...{ name, webUrl, checkAccess, readPullRequests, getCheckLog, readChecks },
    async getPRState(pr, project) {
      return (await readPull(numberOf(pr, project), project)).state
    },
    async resolvePR(reference, project) {
      const number = names.numberIn(reference, project)
      if (number !== null) return (await readPull(number, project)).pr
      const what = `${JSON.stringify(reference)} names no ${names.noun} of ${names.repoOf(project)}`
      throw new AoError('USAGE', what, { hint: `Give its number, ${names.sign}number or URL` })
    },
    async checkoutPR(pr, workspacePath, project) {
      const { number, branch = '', isFork } = (await readPull(numberOf(pr, project), project)).pr
      const label = `${names.sign}${number}`
      const forkRef = isFork ? headRef(number) : null
      const { defaultBranch } = project
      return checkoutPull({ workspacePath, env, label, repo: names.repoOf(project), branch, forkRef, defaultBranch })
    },
    listPRs: async (filter, project) => readListed(readPullRequests, await forge.list(filter, project), project),
    readRange: (pull, project) => pullRange({ path: project.path, env, pull, headRef: headRef(pull.pr.number) }),
    async reviewPR(pr, review, project) {
      const pull = await readPull(numberOf(pr, project), project)
      const { number } = pull.pr
      if (pull.state !== 'open') throw new AoError('PR_NOT_MERGEABLE', `${titleOf(names, number)} is ${pull.state}`)
      if (pull.headSha !== review.head) throw headMoved(names, pull, review.head)
      return reach({ pr, project, lacks: 'takes no review from this token' }, () =>
        forge.review(number, review, project),
      )
    },
    commentPR: (pr, comment, project) =>
      reach({ pr, project, lacks: 'takes no comment from this token' }, (number) =>
        forge.comment(number, comment, project),
      ),
    async mergePR(pr, { sha, method = mergeMethod }, project) {
      const number = numberOf(pr, project)
      const target = { number, title: `${titleOf(names, number)} of ${names.repoOf(project)}`, sha, method }
      return mergeExactly<P>({
        ...target,
        readPull: () => readPull(number, project),
        merge: (before) => forge.merge(before, target, project),
        refusalOf: forge.refusalOf,
      })
    },
    landing: {
      ...landing,
      readQueue: async (pr, project, since) => landing.readQueue(numberOf(pr, project), project, since),
    },
    threads: {
      reply: (pr, reply, project) =>
        reach({ pr, project, lacks: 'no longer has this comment' }, async (number) => {
          await forge.reply(number, reply, project)
        }),
      resolve: (pr, changed, project) =>
        reach({ pr, project, lacks: 'no longer has this comment' }, async (number) => {
          await forge.resolve(number, changed, project)
        }),
    },
    retargetPR: (pr, base, project) => change(pr, project, { base }),
    closePR: (pr, project) => change(pr, project, { state: 'closed' }),
    reopenPR: (pr, project) => change(pr, project, { state: 'open' }),
  }
}

function headMoved(names: PullNames, { pr: { number }, headSha }: ForgePull, expected: string): AoError {
  const what = `${titleOf(names, number)} has another head than ${expected.slice(0, 10)}`
  return new AoError('PR_HEAD_MOVED', what, { details: { number, headSha, expected } })
}

async function pullOrExplain<P extends ForgePull>(
  forge: ForgePulls<P>,
  number: number,
  project: ProjectConfig,
): Promise<P> {
  try {
    return await forge.readPull(number, project)
  } catch (error) {
    if (!hasStatus(error, 404, 410)) throw error
    const { noun, sign, repoOf } = forge.names
    throw new AoError('SCM_FAILED', `There is no ${noun} ${sign}${number} in ${repoOf(project)}`, {
      hint: `If it is there, the token may not see it; ${forge.hint}`,
      details: { number, repo: repoOf(project), status: 404 },
      cause: error,
    })
  }
}
