// Is the base branch on a forge elsewhere green after what was merged or pushed, and if not, since which commit? According to the
// forge's own CI, which runs on pushes to it; nothing is run here.
import { join } from 'node:path'
import type { Check } from '../../contract/pull.ts'
import { judgeChecks } from '../../core/landing/judge-checks.ts'
import { tryGitOn } from '../../git/repository.ts'
import { onlyTrain } from '../train/only-train.ts'
import { openTrainFile } from '../train/train-file.ts'
import { findFirstRed, type HostedResult } from '../watch/find-first-red.ts'
import { makeRevert, type RevertRequest, revertText } from '../watch/revert.ts'
import { type Red, readWatch, type WatchState, writeWatch } from '../watch/watch-file.ts'
import type { HostedOptions } from './hosted-train.ts'
import { ensureCommit, pushBranch, readRemote } from './remote-branches.ts'

type Watched = Pick<HostedOptions, 'project' | 'projectDir' | 'scm' | 'remote' | 'clock'>

const MOST_COMMITS = 50

/** null: another process is at it, or the base branch cannot be had. */
export async function watchHosted(options: Watched): Promise<WatchState | null> {
  const { project, projectDir, remote } = options
  const directory = join(projectDir, 'landing')
  return onlyTrain(projectDir, async () => {
    const before = readWatch(directory)
    const { base } = await readRemote(remote, project.defaultBranch)
    if (base === null || !(await ensureCommit(remote, base, project.defaultBranch))) return null
    if (base === before.green && before.red === null) return before
    const { chain, isAfterGreen } = await chainOf(options, before.green, base)
    const found = await findFirstRed({ chain, isAfterGreen, resultOf: (commit) => resultAt(options, commit) })
    if (found.kind === 'waiting') return before
    const after = found.kind === 'red' ? { ...before, red: redOf(options, before, found) } : { green: base, red: null }
    if (JSON.stringify(after) !== JSON.stringify(before)) writeWatch(directory, after)
    return after
  })
}

async function chainOf(
  { remote }: Watched,
  green: string | null,
  base: string,
): Promise<{ chain: string[]; isAfterGreen: boolean }> {
  const alone = { chain: [base], isAfterGreen: false }
  if (green === null || green === base) return alone
  const args = ['rev-list', '--first-parent', '--reverse', `${green}..${base}`]
  const listed = await tryGitOn(remote.repository, args, { read: true })
  const chain = listed.stdout.split('\n').filter(Boolean)
  // Rewritten, or too much at once.
  if (!listed.ok || chain.length === 0 || chain.length > MOST_COMMITS) return alone
  return { chain, isAfterGreen: true }
}

async function resultAt({ scm, project }: Watched, commit: string): Promise<HostedResult> {
  const checks = await scm.readChecks(commit, project)
  const { checks: named = [] } = project.landing ?? {}
  if (checks.length === 0) return { state: 'unknown' }
  const { state, check } = judgeChecks(checks, named, { only: named.length > 0 })
  return state === 'failed' && check !== null ? { state, check } : state === 'passed' ? { state } : { state: 'running' }
}

function redOf(
  { projectDir, clock }: Watched,
  { red }: WatchState,
  { commit, check }: { commit: string | null; check: string },
): Red {
  if (red && red.commit === commit && red.check === check) return red
  const { landed } = openTrainFile({ projectDir, clock }).read()
  const pull = landed.find((one) => commit !== null && one.commit === commit)?.pull ?? null
  return { commit, check, pull }
}

/** The end of its log on that commit; '' when the forge has none. */
export async function readRedLog({ scm, project }: Watched, commit: string, check: string): Promise<string> {
  const checks = await scm.readChecks(commit, project)
  const failed = checks.find((one: Check) => one.name === check && one.status === 'failed')
  return failed ? scm.landing.readLog(commit, failed, project) : ''
}

/** Pushes the branch and opens the pull request. Done twice it is the same. */
export async function openHostedRevert(
  { scm, project, remote }: Watched,
  request: RevertRequest,
): Promise<{ number: number; headSha: string; isOpen: boolean }> {
  const { branch, title, body } = revertText(request, project.defaultBranch)
  const { base } = await readRemote(remote, project.defaultBranch)
  if (base === null) throw new Error(`there is no branch ${project.defaultBranch}`)
  const existing = await readByBranch({ scm, project }, branch)
  if (existing) return existing
  const commit = await makeRevert(remote.repository, { base, commit: request.commit, title })
  // One that a killed process has pushed stays as it is.
  const pushed = await pushBranch(remote, branch, { to: commit, expected: null })
  if (pushed.kind === 'refused') throw new Error(`the forge does not take the branch ${branch}: ${pushed.why}`)
  await scm.landing.openPull({ branch, title, body }, project)
  const made = await readByBranch({ scm, project }, branch)
  if (made) return made
  throw new Error(`the forge shows no pull request for ${branch}`)
}

async function readByBranch(
  { scm, project }: Pick<Watched, 'scm' | 'project'>,
  branch: string,
): Promise<{ number: number; headSha: string; isOpen: boolean } | null> {
  const reading = (await scm.readPullRequests([{ sessionId: 'revert', branch, pr: null }], project)).get('revert')
  if (reading?.kind === 'unknown') throw new Error(reading.why)
  if (reading?.kind !== 'read') return null
  const { pr, headSha, state } = reading.snapshot
  return { number: pr.number, headSha, isOpen: state === 'open' }
}
