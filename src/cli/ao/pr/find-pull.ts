// The pull request that a command names, on whichever forge.
import type { Pull } from '../../../contract/pull.ts'
import type { SessionRecord } from '../../../contract/record.ts'
import type { ProjectGates } from '../../../landing/checks/project-gates.ts'
import type { PullTarget } from '../../../landing/read-pull.ts'
import type { Io } from '../../print/io.ts'
import { type OpenPulls, openPulls } from './open-forge.ts'

export const PULL_ARGUMENT = { about: 'Number, #number, URL or branch', required: true } as const

export interface OpenPull extends OpenPulls, PullTarget {
  /** As the forge has it now, with the gates that ao itself runs. */
  pull: Pull
  /** null: the forge runs them, or there are none. */
  gates: ProjectGates | null
}

export async function openPull(io: Io, reference: string, projectId: string | undefined): Promise<OpenPull> {
  const opened = await openPulls(io, projectId)
  const [{ findPull }, { gatesOf, withGates }, { createPaths }] = await Promise.all([
    import('../../../manager/pulls/find-pull.ts'),
    import('../../../manager/observe/gates.ts'),
    import('../../../store/paths.ts'),
  ])
  const { config, project, scm } = opened
  const paths = createPaths({ configPath: config.configPath, home: io.home, env: io.env })
  const found = await findPull(opened, reference)
  const gates = gatesOf({ config, paths, env: io.env }, project, scm)
  const pull = await withGates(gates, found)
  return { ...opened, pull, pr: pull.pr, gates }
}

/** The records of the sessions whose pull requests these are, by URL. */
export async function recordsOf(
  { clock, env }: Io,
  { config, paths, project }: Pick<OpenPulls, 'config' | 'paths' | 'project'>,
): Promise<Map<string, SessionRecord>> {
  const [{ createSessionStore }, { createLog }] = await Promise.all([
    import('../../../store/session/session-store.ts'),
    import('../../../lib/log.ts'),
  ])
  const own = { projectId: project.id, paths: paths.project(project.id), configPath: config.configPath }
  const store = createSessionStore({ ...own, clock, log: createLog(env.AO_LOG_LEVEL) })
  return new Map(store.readAll().flatMap(({ record }) => (record.pr === undefined ? [] : [[record.pr, record]])))
}

/** A person has seen it: a review without `--head` is of this one. */
export async function noteShown(
  io: Io,
  { projectDir, pull, claim }: Pick<OpenPull, 'projectDir' | 'pull' | 'claim'>,
  head: string,
): Promise<void> {
  if (io.env.AO_SESSION) return
  const [{ noteShownHead }, { ignoreFailure }, { createLog }] = await Promise.all([
    import('../../../store/shown-heads.ts'),
    import('../../../lib/ignore-failure.ts'),
    import('../../../lib/log.ts'),
  ])
  await ignoreFailure('a review has to name the head that was read', createLog(io.env.AO_LOG_LEVEL), async () => {
    claim()
    noteShownHead(projectDir, pull.pr.url, head)
  })
}
