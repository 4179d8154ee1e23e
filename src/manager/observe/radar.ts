// The radar of each project, fed with its sessions. One per project and process, shared by the loop and the dashboard.
import type { ProjectConfig } from '../../contract/config.ts'
import type { RadarAnswer, RadarPicture } from '../../contract/dashboard/radar.ts'
import { errorText } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import type { ResolveEntry } from '../../core/landing/resolve/rules.ts'
import { liveBranches } from '../../core/radar/live-branches.ts'
import { openRepository } from '../../git/repository.ts'
import { createRadar, type Radar } from '../../landing/radar/radar.ts'
import { withRedPairs } from '../../landing/radar/red-pairs.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import { type ManagerContext, projectIds, requireProject, scmOf } from '../context.ts'
import { list } from './enrich.ts'

const radars = new WeakMap<PluginRegistry, Map<string, Radar>>()

/** Of all projects, or one. What one project's repository refuses does not hide the others. */
export async function readRadar(
  context: ManagerContext,
  projectId?: string | undefined,
  { budgetMs }: { budgetMs?: number | undefined } = {},
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
  const all = { state: 'open', limit: Number.MAX_SAFE_INTEGER } as const
  const pulls = scm?.costsNothing && scm.listPRs ? await scm.listPRs(all, project) : []
  const radar = radarOf(context, project, scm?.sharesRepository === true)
  const branches = liveBranches(sessions, pulls, context.clock.now().getTime())
  const picture = await radar.observe({ branches, budgetMs })
  return project.radar?.meaning === true ? withRedPairs(picture, context.paths.project(projectId).dir) : picture
}

/** Removes what they have written. */
export function closeRadars({ registry }: Pick<ManagerContext, 'registry'>): void {
  for (const radar of radars.get(registry)?.values() ?? []) radar.close()
  radars.delete(registry)
}

/** Those of a train that runs here. */
function solvingRules({ landing }: ProjectConfig, isShared: boolean): ResolveEntry[] {
  return isShared && landing?.mode === 'train' ? (landing.resolve ?? []) : []
}

function radarOf(context: ManagerContext, project: ProjectConfig, isShared: boolean): Radar {
  const existing = radars.get(context.registry) ?? new Map<string, Radar>()
  radars.set(context.registry, existing)
  const { id, defaultBranch, path } = project
  const local = `refs/heads/${defaultBranch}`
  const fetched = `refs/remotes/origin/${defaultBranch}`
  const radar =
    existing.get(id) ??
    createRadar({
      projectId: id,
      projectDir: context.paths.project(id).dir,
      baseBranch: defaultBranch,
      // What shares the repository merges into its own branch; elsewhere the forge's is ahead of it.
      baseRefs: isShared ? [local, fetched] : [fetched, local],
      repository: () => openRepository(path, context.env),
      rules: solvingRules(project, isShared),
    })
  existing.set(id, radar)
  return radar
}
