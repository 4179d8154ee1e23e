// What the commands for issues and pull requests work with: the project, its tracker, its forge. No manager.
import type { ProjectConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import type { MergeContext } from '../../../landing/merge.ts'
import type { Scm } from '../../../slots/scm.ts'
import type { Tracker } from '../../../slots/tracker.ts'
import { prepareDirectories, verifyOrigin } from '../../../store/session/session-store.ts'
import type { Io } from '../../print/io.ts'
import { chooseProject } from '../choose-project.ts'
import { type OpenPlugins, openPlugins } from '../open-ao.ts'

export interface OpenProject extends OpenPlugins {
  project: ProjectConfig
  /** Of the project's data. */
  projectDir: string
  /** For writes: makes the project's data directory this configuration's own. */
  claim(): void
}

export async function openProject(io: Io, projectId?: string): Promise<OpenProject> {
  const opened = await openPlugins(io)
  const { config, paths } = opened
  const project = chooseProject(config, projectId, io)
  const origin = { projectId: project.id, paths: paths.project(project.id), configPath: config.configPath }
  // Issues and pull requests of another configuration are never shown or changed as ours.
  verifyOrigin(origin)
  return { ...opened, project, projectDir: origin.paths.dir, claim: () => prepareDirectories(origin) }
}

/** With the forge that the project has chosen, whichever it is. */
export interface OpenPulls extends OpenProject {
  scm: Scm
}

export async function openPulls(io: Io, projectId?: string): Promise<OpenPulls> {
  const opened = await openProject(io, projectId)
  const { config, project, registry } = opened
  const choice = project.scm ?? config.plugins.scm?.name
  if (choice === undefined) {
    throw new AoError('SCM_FAILED', `Project ${project.id} has no forge with pull requests`, {
      hint: `Choose one with projects.${project.id}.scm in ${config.configPath}, for example: local`,
    })
  }
  return { ...opened, scm: await registry.load('scm', choice) }
}

/** What merging works with. No manager: only its store is opened. */
export async function openMerging({ env, clock }: Io, opened: OpenPulls): Promise<MergeContext> {
  const [{ createSessionStore }, { gatesOf }] = await Promise.all([
    import('../../../store/session/session-store.ts'),
    import('../../../manager/observe/gates.ts'),
  ])
  const { config, paths, project, projectDir, scm, log } = opened
  const origin = { projectId: project.id, paths: paths.project(project.id), configPath: config.configPath }
  const store = createSessionStore({ ...origin, clock, log })
  return { projectDir, env, clock, log, store, gates: gatesOf({ config, paths, env }, project, scm) }
}

export async function openTracker(io: Io, projectId?: string): Promise<OpenProject & { tracker: Tracker }> {
  const opened = await openProject(io, projectId)
  return { ...opened, tracker: await trackerOf(opened) }
}

export async function trackerOf({ config, project, registry }: OpenProject): Promise<Tracker> {
  const choice = project.tracker ?? config.plugins.tracker?.name
  if (choice === undefined) {
    throw new AoError('TRACKER_FAILED', `Project ${project.id} has no tracker`, {
      hint: `Choose one with projects.${project.id}.tracker in ${config.configPath}, for example: local`,
    })
  }
  return registry.load('tracker', choice)
}
