// What an agent does to pull requests, however it was requested: by `gh pr`, REST or GraphQL. Inside a session only its own is
// changed; as on a protected branch, an agent merges only what was approved and passed its checks.
import { resolve } from 'node:path'
import { openMerging } from '../../cli/ao/pr/open-forge.ts'
import type { Io } from '../../cli/print/io.ts'
import type { Pull } from '../../contract/pull.ts'
import type { MergeOptions } from '../../forge/merge/merge-pull.ts'
import { closePull, editPull, type NewReview, reopenPull, reviewPull } from '../../forge/pulls/change-pull.ts'
import { type NewPull, type OpenedPull, openPull } from '../../forge/pulls/open-pull.ts'
import { tryGit } from '../../git/git.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { type MergeOutcome, mergePull } from '../../landing/merge.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { createLog } from '../../lib/log.ts'
import { refuse } from '../describe/node.ts'
import { GhError } from '../gh-error.ts'
import { type Gh, observe, requireOwnPull, workerSession } from '../open-gh.ts'

/** The branch is pushed along, and the session's record is updated. */
export async function openOwnPull(gh: Gh, wanted: NewPull, io: Io): Promise<OpenedPull> {
  gh.claim()
  await bringBranch(gh, wanted.head, io)
  const opened = await openPull(gh.forge, wanted)
  const sessionId = workerSession(io)
  if (sessionId !== null && opened.pull.session === sessionId) await noteOpened(gh, sessionId, opened.pull.url, io)
  return opened
}

/** Immediately; the wrapper's record of the same changes nothing. One that cannot be written is updated by the next tick. */
async function noteOpened({ config, project }: Gh, sessionId: string, url: string, io: Io): Promise<void> {
  const log = createLog(io.env.AO_LOG_LEVEL)
  await ignoreFailure(`the record of ${sessionId} was not updated`, log, async () => {
    const [{ createSessionStore }, { createPaths }, { notePullStatus }] = await Promise.all([
      import('../../store/session/session-store.ts'),
      import('../../store/paths.ts'),
      import('../../store/session/note-pull-status.ts'),
    ])
    const { configPath } = config
    const paths = createPaths({ configPath, home: io.home, env: io.env }).project(project.id)
    const store = createSessionStore({ projectId: project.id, paths, configPath, clock: io.clock, log })
    await notePullStatus(store, { sessionId, url, status: 'pr_open' })
  })
}

/** A clone keeps its branches to itself until they are pushed: that is done here, as gh does it. */
export async function bringBranch(gh: Gh, head: string, io: Io): Promise<void> {
  const here = commonGitDir(await topLevel(io))
  const { commonDir } = gh.forge.repository()
  if (here === null || here === commonDir) return
  const result = await tryGit(io.cwd, ['push', '--quiet', commonDir, `refs/heads/${head}:refs/heads/${head}`], {
    env: io.env,
  })
  if (!result.ok)
    throw new GhError(`the branch ${head} could not be pushed to ${gh.project.path}: ${result.stderr.trim()}`)
}

async function topLevel(io: Io): Promise<string> {
  const result = await tryGit(io.cwd, ['rev-parse', '--show-toplevel'], { env: io.env, read: true })
  if (!result.ok) throw new GhError('fatal: not a git repository (or any of the parent directories): .git')
  return resolve(io.cwd, result.stdout.replace(/\n$/, ''))
}

export async function mergeOwnPull(
  gh: Gh,
  pull: Pull,
  options: Omit<MergeOptions, 'needsApproval'>,
  io: Io,
): Promise<MergeOutcome> {
  requireOwnPull(io, pull, 'merge')
  const agent = workerSession(io)
  const rules = { needsApproval: agent !== null, force: options.force === true && agent === null }
  const { scm, project } = gh
  const { expected: head, ...how } = options
  const target = { scm, project, pr: pull.pr, head, sessionId: pull.session }
  return mergePull(await openMerging(io, gh), { ...target, ...how, ...rules, pastTrain: false })
}

export interface PullChange extends Omit<Parameters<typeof editPull>[2], 'type'> {
  state?: 'open' | 'closed' | undefined
}

/** As it is afterwards. */
export async function changeOwnPull(gh: Gh, pull: Pull, { state, ...edit }: PullChange, io: Io): Promise<Pull> {
  const { number } = pull.pr
  requireOwnPull(io, pull, state === 'closed' ? 'close' : state === 'open' ? 'reopen' : 'edit')
  if (Object.values(edit).some((value) => value !== undefined)) await editPull(gh.forge, number, edit)
  if (state === 'closed') await closePull(gh.forge, number)
  if (state === 'open') await reopenPull(gh.forge, number)
  return (await observe(gh, [gh.forge.pulls.read(number)!]))[0]!
}

/** Anybody may comment. The last review of the answer is this one. */
export async function reviewOwnPull(gh: Gh, pull: Pull, review: NewReview, io: Io): Promise<Pull> {
  if (review.state !== 'commented') requireOwnPull(io, pull, 'review')
  else if (review.body.trim() === '' && review.comments.length === 0) throw refuse('body is blank', 'UNPROCESSABLE')
  return (await observe(gh, [await reviewPull(gh.forge, pull.pr.number, review)]))[0]!
}
