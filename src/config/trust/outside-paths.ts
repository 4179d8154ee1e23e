// Paths in a configuration that lead out of the directory they belong to, links resolved.
import { dirname, resolve } from 'node:path'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { resolveUserPath } from '../resolve-config.ts'
import { isInside, realPathOf } from './real-path.ts'
import type { FindingGroup } from './trust-item.ts'

/** The real path, or null when it stays inside: the project in the configuration's directory, its rules in the project. */
export function findOutside(config: OrchestratorConfig, { at, values }: FindingGroup, home: string): string | null {
  const [key = ''] = Object.keys(values)
  const configDir = dirname(config.configPath)
  const project = at[0] === 'projects' ? config.projects[at[1] ?? ''] : undefined
  if (key === 'path' && project) return leavingPath(configDir, project.path)
  if (key === 'agentRulesFile' && project) return leavingPath(project.path, rulesFile(project))
  const written = valueAt(config, [...at, key])
  return leavingPath(configDir, resolveUserPath(String(written), { home, base: configDir }))
}

function rulesFile(project: Pick<ProjectConfig, 'path' | 'agentRulesFile'>): string {
  return resolve(project.path, project.agentRulesFile ?? '')
}

function leavingPath(directory: string, path: string): string | null {
  const real = realPathOf(path)
  return isInside(realPathOf(directory), real) ? null : real
}

/** With variables replaced, as it will be used. */
function valueAt(config: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], config)
}
