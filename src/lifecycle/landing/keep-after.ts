// What has landed since, and the steps after it. Where branches are shared with agents only merges that ao recorded count: anybody in the
// repository can move a branch. On a forge elsewhere it is the base branch as the forge has it.

import { requireTrust } from '../../config/trust/trust.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import {
  type AfterState,
  type AfterStep,
  type Landing,
  MOST_ATTEMPTS,
  type StepRun,
  withLandings,
} from '../../core/landing/decide-after.ts'
import { openRepository, type Repository, tryGitOn } from '../../git/repository.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'
import { changeAfter, readAfter, runAfter } from '../../landing/after-landing.ts'
import { fetchTip } from '../../landing/hosted/remote-branches.ts'
import { scmOf } from '../../manager/context.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export async function keepAfter(
  loop: LoopContext,
  project: ProjectConfig,
  signal: AbortSignal,
  isPaused: () => boolean = () => false,
): Promise<void> {
  const { config, paths, env, clock } = loop.context
  const projectDir = paths.project(project.id).dir
  const repository = openRepository(project.path, env)
  const before = readAfter(projectDir) ?? { since: clock.now().toISOString(), landings: [] }
  const found = await findLandings(loop, project, { repository, before })
  if (found !== null)
    await changeAfter(projectDir, (state) => ({ ...withLandings(state ?? before, found.landings), tip: found.tip }))
  await runAfter({
    ...{ project, projectDir, repository, clock, signal, isPaused },
    requireTrust: () => requireTrust(config, { home: paths.home, env, projectId: project.id, kinds: ['ci'] }),
    say: (line) => loop.say(line),
    ask: (step, commit, run, since) => ask(loop, project, { step, commit, run, since }),
  })
}

interface Found {
  landings: Array<Omit<Landing, 'steps'>>
  tip?: string | undefined
}

const MOST_READ = 50

/** null: nothing is new. */
async function findLandings(
  loop: LoopContext,
  project: ProjectConfig,
  { repository, before }: { repository: Repository; before: AfterState },
): Promise<Found | null> {
  const scm = await scmOf(loop.context, project)
  const isFirst = readAfter(loop.context.paths.project(project.id).dir) === null
  if (scm?.sharesRepository && scm.listPRs) {
    const pulls = await scm.listPRs({ state: 'all', limit: Number.MAX_SAFE_INTEGER }, project)
    const landings = pulls.flatMap(({ pr, mergeCommit, mergedOutside, closedAt }) =>
      mergeCommit && closedAt && !mergedOutside && (pr.baseBranch ?? project.defaultBranch) === project.defaultBranch
        ? [{ commit: mergeCommit, pull: pr.number, at: closedAt }]
        : [],
    )
    landings.sort((one, other) => one.at.localeCompare(other.at))
    return isFirst || withLandings(before, landings) !== before ? { landings } : null
  }
  const remote = await readProjectRemote(project.path, repository.env)
  if (scm === null || remote === null) return null
  const tip = await fetchTip({ repository, name: remote.name }, project.defaultBranch)
  if (tip === before.tip) return null
  const at = loop.context.clock.now().toISOString()
  if (before.tip === undefined) return { landings: [], tip }
  const range = ['rev-list', '--first-parent', '--reverse', `--max-count=${MOST_READ}`, `${before.tip}..${tip}`]
  const listed = await tryGitOn(repository, range, { read: true })
  // Its history was replaced: only where it is now counts.
  const commits = listed.ok ? listed.stdout.split('\n').filter(Boolean) : [tip]
  return { landings: commits.map((commit) => ({ commit, pull: null, at })), tip }
}

interface Asked {
  step: AfterStep
  commit: string
  run: StepRun
  since: string
}

/** Once for each attempt: its key is the same for whoever finds it after a crash, and another after `ao land retry`. */
async function ask(loop: LoopContext, project: ProjectConfig, { step, commit, run, since }: Asked): Promise<void> {
  const short = commit.slice(0, 10)
  const what = run.state === 'interrupted' ? run.why : `it failed ${MOST_ATTEMPTS} times: ${run.why}`
  await loop.notify({
    type: 'landing.after',
    projectId: project.id,
    priority: 'urgent',
    message: `${project.name}: ${step.name} after ${short} landed: ${what}. See ao land why ${short}; run it again with: ao land retry ${short}`,
    dedupeKey: `after ${project.id} ${commit} ${step.name} ${run.state} ${since}`,
  })
}
