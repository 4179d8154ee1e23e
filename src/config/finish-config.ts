// The last steps, the same for a parsed configuration and a cached one: the environment, variables, then everything that depends on this machine.
import type { ConfigFile, OrchestratorConfig } from '../contract/config.ts'
import type { ConfigProblem } from './config-problems.ts'
import { interpolateConfig } from './interpolate-config.ts'
import { applyEnvironment } from './layers/environment-layer.ts'
import { resolveConfig } from './resolve-config.ts'

export interface FinishRequest {
  file: ConfigFile
  asks?: ConfigFile | undefined
  configPath: string
  env: NodeJS.ProcessEnv
  home: string
}

export function finishConfig(request: FinishRequest): { config: OrchestratorConfig } | { problems: ConfigProblem[] } {
  const { asks, env } = request
  const interpolated = interpolateConfig(applyEnvironment(request.file, env), env)
  const resolved = resolveConfig({ ...request, file: interpolated.file })
  const problems = [...interpolated.problems, ...resolved.problems]
  if (problems.length > 0) return { problems }
  return { config: { ...resolved.config, source: request.file, asks } }
}
