// The last steps, the same for a parsed file and a cached one: variables, then everything that depends on this machine.
import type { ConfigFile, OrchestratorConfig } from '../contract/config.ts'
import type { ConfigProblem } from './config-problems.ts'
import { interpolateConfig } from './interpolate-config.ts'
import { resolveConfig } from './resolve-config.ts'

export interface FinishRequest {
  file: ConfigFile
  configPath: string
  env: NodeJS.ProcessEnv
  home: string
}

export function finishConfig(request: FinishRequest): { config: OrchestratorConfig } | { problems: ConfigProblem[] } {
  const interpolated = interpolateConfig(request.file, request.env)
  const resolved = resolveConfig({ ...request, file: interpolated.file })
  const problems = [...interpolated.problems, ...resolved.problems]
  if (problems.length > 0) return { problems }
  return { config: { ...resolved.config, source: request.file } }
}
