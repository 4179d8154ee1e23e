// Scm plugin `local`: pull requests, CI and reviews without a server. Needs nothing but git.
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { methodsFrom } from '../../contract/forges.ts'
import type { Check, Pull, PullRef } from '../../contract/pull.ts'
import { createForge } from '../../forge/create-forge.ts'
import { checksOf, forgetResults, observePull, observePulls, readCheckLog } from '../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import { findOpenByBranch, pullNumber, requirePull } from '../../forge/pulls/pull-store.ts'
import { type ObservedPull, toComment, toPrInfo, toReview } from '../../forge/pulls/pull-view.ts'
import { createLocalTrain } from '../../forge/train/local-train.ts'
import type { ForgeOptions, LocalForge, LocalScm } from '../../forge/types.ts'
import { gitFailure, runGit, tryGit } from '../../git/git.ts'
import type { TrainScm } from '../../landing/own-train.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import type { PrFilter, PrQuery, PrReading } from '../../slots/scm.ts'

type Changes = typeof import('../../forge/pulls/change-pull.ts')

const DEFAULT_TIMEOUT_S = 600

const filled = z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(10_000, 'is too long'))
const command = z.strictObject({
  name: filled.check(z.maxLength(100, 'may have 100 characters at most'), z.regex(/^[^\n\t]*$/, 'must be one line')),
  run: filled,
  timeout: z.optional(
    z.number().check(z.positive('must be a number of seconds'), z.maximum(86_400, 'may be a day at most')),
  ),
})
const forgeOptions = z.strictObject({
  ci: z.optional(z.strictObject({ commands: z.array(command).check(z.maxLength(50, 'may hold 50 commands at most')) })),
  merge: z.optional(z.enum(['squash', 'merge', 'rebase'])),
})

export function readForgeOptions({ ci, merge }: z.infer<typeof forgeOptions>): ForgeOptions {
  const commands = ci?.commands ?? []
  const twice = commands.find(({ name }, index) => commands.findIndex((one) => one.name === name) !== index)
  if (twice) {
    throw new AoError('CONFIG_INVALID', `Options of the scm plugin local: two ci.commands are named ${twice.name}`)
  }
  return {
    ci: commands.map(({ name, run, timeout }) => ({ name, run, timeoutMs: (timeout ?? DEFAULT_TIMEOUT_S) * 1000 })),
    merge: merge ?? 'squash',
  }
}

export const plugin = definePlugin({
  manifest: {
    slot: 'scm',
    name: 'local',
    description: 'Pull requests, CI and reviews without a server',
  },
  options: forgeOptions,
  create: (options, context) => createLocalScm(readForgeOptions(options), context),
  detect: async () => ({ ok: true, detail: 'always there' }),
})

function createLocalScm(options: ForgeOptions, context: PluginContext): LocalScm & TrainScm {
  const forges = new Map<string, LocalForge>()
  const advancing = new Map<string, Promise<void>>()
  const forge = (project: ProjectConfig): LocalForge => {
    const key = `${project.id}\0${project.path}`
    const forge = forges.get(key) ?? createForge(project, options, context)
    forges.set(key, forge)
    return forge
  }
  /** What changes pull requests is loaded by those who do: every command that starts a session has this plugin. */
  const change = async (
    pr: PullRef,
    project: ProjectConfig,
    how: (changes: Changes, ...at: [forge: LocalForge, number: number]) => Promise<LocalPull>,
  ): Promise<LocalPull> =>
    how(await import('../../forge/pulls/change-pull.ts'), forge(project), pullOf(forge(project), pr).number)
  return {
    name: 'local',
    ghFacade: true,
    costsNothing: true,
    sharesRepository: true,
    runsGates: true,
    shownHere: true,
    handIn: {
      complete: 'open a pull request with `gh pr create`; nothing needs pushing, because ao sees your commits',
      update: 'commit',
      request: 'pull request',
    },
    forge,
    watchPaths: (project) => [forge(project).pulls.directory, join(forge(project).projectDir, 'checks')],
    getPRState: async (pr, project) => (await observePull(forge(project), pullOf(forge(project), pr))).state,
    resolvePR: async (reference, project) => toPrInfo(requirePull(forge(project), reference), project.id),
    checkoutPR: (pr, path, project) => checkout(pullOf(forge(project), pr), path, context.env),
    readPullRequests: (queries, project) => readPullRequests(forge(project), queries),
    listPRs: (filter, project) => listPullRequests(forge(project), filter),
    async readRange({ pr }, project) {
      const { pullRange } = await import('../../forge/pulls/diff-pull.ts')
      const { from, to } = await pullRange(forge(project), pullOf(forge(project), pr))
      return { from, to }
    },
    async runChecks(pr, project, onProgress) {
      const { finishChecks } = await import('../../forge/finish-checks.ts')
      return finishChecks(forge(project), pullOf(forge(project), pr).number, { onProgress })
    },
    async rerunChecks({ pr }, project) {
      const found = await observePull(forge(project), pullOf(forge(project), pr))
      const why = forgetResults(forge(project), found, { onlyFailed: true })
      if (why !== null) throw new AoError('USAGE', `The checks of #${pr.number} cannot run again: ${why}`)
    },
    getCheckLog: async (_pr: PullRef, check: Check, project, bytes) => readCheckLog(forge(project), check, bytes),
    mergeMethods: methodsFrom(options.merge),
    readChecks: async (commit, project) => checksOf(forge(project), commit, null),
    train: (project) => createLocalTrain(forge(project)),
    async mergePR(pr, { sha, ...how }, project) {
      const { mergePull } = await import('../../forge/merge/merge-pull.ts')
      return mergePull(forge(project), pullOf(forge(project), pr).number, { ...how, expected: sha })
    },
    async retargetPR(pr, base, project) {
      if (pullOf(forge(project), pr).base !== base)
        await change(pr, project, ({ editPull }, ...at) => editPull(...at, { base }))
    },
    async closePR(pr, project) {
      await change(pr, project, ({ closePull }, ...at) => closePull(...at))
    },
    async reopenPR(pr, project) {
      await change(pr, project, ({ reopenPull }, ...at) => reopenPull(...at))
    },
    async reviewPR(pr, { head, comments, ...given }, project) {
      const review = { ...given, comments: [...comments], expected: head }
      const { reviews } = await change(pr, project, ({ reviewPull }, ...at) => reviewPull(...at, review))
      return toReview(reviews.at(-1)!)
    },
    async commentPR(pr, comment, project) {
      const pull = await change(pr, project, ({ commentOnPull }, ...at) => commentOnPull(...at, comment))
      return toComment(pull.comments.at(-1)!, pull.session)
    },
    threads: {
      recordsWriter: true,
      async reply(pr, { thread: commentId, body }, project) {
        await change(pr, project, ({ replyToComment }, ...at) => replyToComment(...at, { commentId, body }))
      },
      async resolve(pr, { thread: commentId, resolved }, project) {
        await change(pr, project, ({ resolveComment }, ...at) => resolveComment(...at, { commentId, resolved }))
      },
    },
    advance(project, { signal } = {}) {
      const running = advancing.get(project.id)
      if (running) return running
      const started = import('../../forge/advance-ci.ts')
        .then(({ advanceCi }) => advanceCi(forge(project), { signal }))
        .then(() => undefined)
        .finally(() => advancing.delete(project.id))
      advancing.set(project.id, started)
      return started
    },
  }
}

/** By its URL: a number alone could be another forge's. */
function pullOf(forge: LocalForge, pr: PullRef): LocalPull {
  const number = pullNumber(forge, pr.url)
  const pull = number === null ? null : forge.pulls.read(number)
  if (pull !== null) return pull
  throw new AoError('PR_NOT_FOUND', `${pr.url} is not a pull request of project ${forge.project.id}`)
}

/** git itself refuses when uncommitted work is in the way. */
async function checkout(pull: LocalPull, path: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const current = (await runGit(path, ['branch', '--show-current'], { env, read: true })).trim()
  if (current === pull.head) return false
  const args = ['switch', '--quiet', pull.head]
  const result = await tryGit(path, args, { env })
  if (result.ok) return true
  const holder = /(?:checked out|used by worktree) at '([^']+)'/.exec(result.stderr)?.[1]
  if (holder === undefined) throw gitFailure(path, args, result)
  throw new AoError('BRANCH_TAKEN', `The branch ${pull.head} is checked out in ${holder}`, {
    hint: 'Remove the session that has it first: ao session kill <session> --purge',
    details: { branch: pull.head, path: holder },
  })
}

/** Never throws. */
async function readPullRequests(forge: LocalForge, queries: PrQuery[]): Promise<Map<string, PrReading>> {
  try {
    const all = forge.pulls.list()
    const wanted = new Map(queries.map((query) => [query.sessionId, findWanted(forge, all, query)]))
    const pulls = [...new Set([...wanted.values()].flat())]
    const views = new Map((await observePulls(forge, pulls)).map((view) => [view.pr.number, view]))
    return new Map(queries.map(({ sessionId }) => [sessionId, reading(views, wanted.get(sessionId) ?? [])]))
  } catch (error) {
    const why = errorText(error)
    return new Map(queries.map(({ sessionId }) => [sessionId, { kind: 'unknown', why }]))
  }
}

/** Its pull request, then the other open ones that it made, the newest first. */
function findWanted(forge: LocalForge, all: LocalPull[], { sessionId, branch, pr }: PrQuery): LocalPull[] {
  const number = pr === null ? null : pullNumber(forge, pr.url)
  const byBranch = branch === null ? null : findOpenByBranch(all, branch)
  const own = number === null ? byBranch : (all.find((pull) => pull.number === number) ?? null)
  if (own === null) return []
  const others = all.filter((pull) => pull !== own && pull.session === sessionId && pull.state === 'open')
  return [own, ...others.reverse()]
}

function reading(views: Map<number, ObservedPull>, pulls: LocalPull[]): PrReading {
  const found = pulls.flatMap(({ number }) => views.get(number) ?? [])
  const [snapshot, ...others] = found.map(toPull)
  return snapshot ? { kind: 'read', snapshot, others } : { kind: 'none' }
}

/** Newest first. */
async function listPullRequests(forge: LocalForge, { state, limit }: PrFilter): Promise<Pull[]> {
  const recorded = forge.pulls.list().filter((pull) => state === 'all' || pull.state === 'open')
  const views = await observePulls(forge, recorded)
  return views
    .filter((view) => state === 'all' || view.state === 'open')
    .slice(-limit)
    .reverse()
    .map(toPull)
}

/** What only the forge itself needs stays there. */
function toPull({ stored: _, from: _from, mergeBases: _bases, ...pull }: ObservedPull): Pull {
  return pull
}
