// A place that sessions are in and that the configuration no longer has, or has under another name: as it was when they were
// started there. They can be ended, moved and spoken to; nothing new is started there.
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { OrchestratorConfig, PlaceConfig } from '../contract/config.ts'
import { readIfReachable } from '../lib/plain-file.ts'
import { createPaths } from '../store/paths.ts'
import { readAllSpecs } from './place/home/line-files.ts'

/** By what home keeps for the lines to its sessions; null: none of them is there. */
export function formerPlace(
  config: OrchestratorConfig,
  { home, env }: { home: string; env: NodeJS.ProcessEnv },
  place: string,
): PlaceConfig | null {
  const paths = createPaths({ configPath: config.configPath, home, env })
  for (const projectId of Object.keys(config.projects)) {
    const { sessionFile } = paths.project(projectId)
    // Of a session that an older version started.
    const recordedPlace = (stateDir: string) =>
      /^place=(.+)$/m.exec(readIfReachable(sessionFile(basename(stateDir))) ?? '')?.[1]
    for (const stateDir of stateDirs(join(paths.project(projectId).dir, 'state'))) {
      const spec = readAllSpecs(stateDir).find((one) => (one.place ?? recordedPlace(stateDir)) === place)
      if (spec) return { ...spec.options, type: spec.engine }
    }
  }
  return null
}

function stateDirs(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? [join(directory, one.name)] : [],
    )
  } catch {
    // The project has no sessions yet.
    return []
  }
}
