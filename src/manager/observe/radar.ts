// The radar of each project, fed with its sessions. One per project and process, shared by the loop and the dashboard.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { RadarAnswer, RadarPicture } from '../../contract/landing/radar.ts'
import type { Session } from '../../contract/session.ts'
import { type LonePull, liveBranches } from '../../core/radar/live-branches.ts'
import { checksOf } from '../../forge/pulls/observe-pulls.ts'
import { reviewDecision } from '../../forge/pulls/review-decision.ts'
import { isLocalScm } from '../../forge/types.ts'
import { openRepository } from '../../git/repository.ts'
import { createRadar, type Radar } from '../../landing/radar/radar.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import { scmOf } from '../chosen-plugin.ts'
import { type ManagerContext, projectIds, requireProject } from '../context.ts'
import { list } from './enrich.ts'

const radars = new WeakMap<PluginRegistry, Map<string, Radar>>()

/** Of all projects, or one. What one project's repository refuses does not hide the others. */
export async function readRadar(
  context: ManagerContext,
  projectId?: string | undefined,
  budgetMs?: number,
): Promise<RadarAnswer> {
  const answer: RadarAnswer = { projects: [], problems: [] }
  for (const id of projectIds(context, projectId)) {
    try {
      answer.projects.push(await observeRadar(context, id, await list(context, id), budgetMs))
    } catch (error) {
      answer.problems.push({ projectId: id, message: errorText(error) })
    }
  }
  return answer
}

export async function observeRadar(
  context: ManagerContext,
  projectId: string,
  sessions: readonly Session[],
  budgetMs?: number,
): Promise<RadarPicture> {
  const project = requireProject(context, projectId)
  const scm = await scmOf(context, project)
  const pulls = isLocalScm(scm) ? lonePulls(scm.forge(project)) : []
  const radar = radarOf(context, project, isLocalScm(scm))
  const branches = liveBranches(sessions, pulls, context.clock.now().getTime())
  return radar.observe({ branches, budgetMs })
}

/** Removes what they have written. */
export function closeRadars({ registry }: Pick<ManagerContext, 'registry'>): void {
  for (const radar of radars.get(registry)?.values() ?? []) radar.close()
  radars.delete(registry)
}

function radarOf(context: ManagerContext, project: ProjectConfig, isLocal: boolean): Radar {
  const known = radars.get(context.registry) ?? new Map<string, Radar>()
  radars.set(context.registry, known)
  const { id, defaultBranch, path } = project
  const local = `refs/heads/${defaultBranch}`
  const fetched = `refs/remotes/origin/${defaultBranch}`
  const radar =
    known.get(id) ??
    createRadar({
      projectId: id,
      projectDir: context.paths.project(id).dir,
      baseBranch: defaultBranch,
      // A local forge merges into the local branch; elsewhere the forge's is ahead of it.
      baseRefs: isLocal ? [local, fetched] : [fetched, local],
      repository: () => openRepository(path, context.env),
    })
  known.set(id, radar)
  return radar
}

/** From the records alone. */
function lonePulls(forge: Parameters<typeof checksOf>[0]): LonePull[] {
  return forge.pulls
    .list()
    .filter(({ state }) => state === 'open')
    .map((pull) => {
      const isGreen = checksOf(forge, pull.headSha, null).every(({ status }) => status === 'passed')
      const ready = !pull.draft && isGreen && reviewDecision(pull, asReviewed(pull)) === 'approved'
      return { number: pull.number, head: pull.head, title: pull.title, ready }
    })
}

/** Whether the base still is the same is asked when it boards. */
function asReviewed({ headSha, reviews }: Parameters<typeof reviewDecision>[0] & { headSha: string }) {
  return { headSha, from: reviews.at(-1)?.from ?? null }
}
