// What prevents pull requests from being tracked, one line each: a project without a forge, a failing forge; and work that waits for reviews.
import type { OrchestratorConfig } from '../../contract/config.ts'
import { forgeSurface, reviewSurface } from '../../contract/forges.ts'
import { ownFiles } from '../../lib/process/own-files.ts'
import type { AoPaths } from '../../store/paths.ts'
import { loopState, readRunState, runFiles } from './run-state.ts'

const LONGEST = 300

/** `projectId`: only of this one. */
export async function forgeNotices(
  { config, paths }: { config: OrchestratorConfig; paths: AoPaths },
  projectId?: string | undefined,
): Promise<string[]> {
  const ids = projectId === undefined ? Object.keys(config.projects) : [projectId]
  const without = ids.filter((id) => config.projects[id]?.scm === undefined && config.plugins.scm === undefined)
  const trouble = new Map(await loopTrouble(paths))
  return [
    ...(ownFiles() === 'same' ? [] : ['the files of the running loop were replaced or removed: ao stop && ao start']),
    ...without.map((id) => `${id} has no forge, so that its pull requests are not followed: ao doctor says what to do`),
    ...ids.flatMap((id) => {
      const why = trouble.get(forgeSurface(id))
      const reviews = trouble.get(reviewSurface(id))
      return [
        ...(why === undefined ? [] : [`forge of ${id}: ${why}`.slice(0, LONGEST)]),
        ...(reviews === undefined ? [] : [`${id}: ${reviews}`]),
      ]
    }),
  ]
}

/** What an ended loop reported may be outdated; only a running one counts. */
export async function loopTrouble(paths: AoPaths): Promise<Array<[surface: string, why: string]>> {
  if (loopState(readRunState(runFiles(paths))) === 'dead') return []
  const { readObservability } = await import('../../store/observability/summary.ts')
  const { health } = readObservability(paths)
  return Object.entries(health).flatMap(
    ([surface, { status, reason, component }]): Array<[string, string]> =>
      status === 'ok' || component !== 'lifecycle' ? [] : [[surface, (reason ?? status).slice(0, LONGEST)]],
  )
}
