// The environment an agent runs in: the user's own minus what ao reserves, ao's variables, and what the agent asks for.

import { delimiter } from 'node:path'
import { heldVariables } from '../../core/environment/held-variables.ts'
import { type EnvironmentRule, forAgent } from '../../core/environment/inherit-variables.ts'
import type { Role } from '../../core/session/resolve-launch.ts'
import { userHome } from '../../lib/process/own-home.ts'
import { SPAWN_MARKER } from '../../lib/process/process-tree.ts'
import type { ManagerContext } from '../context.ts'

export interface EnvironmentRequest {
  sessionId: string
  projectId: string
  spawnId: string
  role: Role
  stateDir: string
  binDir: string
  ofAgent: Record<string, string>
  ofConfig: Record<string, string>
  /** What it says about the session; `ofConfig` may name these. */
  words: Record<string, string>
  /** `environment` of the project. */
  rule: EnvironmentRule
  /** The agent's `gh` is answered by the project's forge. */
  ghFacade: boolean
}

export function agentEnvironment(context: ManagerContext, request: EnvironmentRequest): Record<string, string> {
  const inherited = inheritedEnvironment(context, request)
  return { ...inherited, ...ownEnvironment(context, request, inherited) }
}

function inheritedEnvironment({ config, env }: ManagerContext, { role, rule }: EnvironmentRequest) {
  const held = heldVariables(config.source)
  // An orchestrator's `ao spawn` queries the tracker itself.
  const withheld = new Set([...held.byLoop, ...(role === 'orchestrator' ? [] : held.byForge)])
  return forAgent(env, rule, withheld)
}

/** Variables set for this session in addition to the user's own environment. */
export function ownEnvironment(
  context: ManagerContext,
  request: EnvironmentRequest,
  inherited: Record<string, string> = inheritedEnvironment(context, request),
): Record<string, string> {
  return {
    ...request.ofAgent,
    ...request.ofConfig,
    PATH: pathWith(request.binDir, request.ofConfig.PATH ?? inherited.PATH ?? ''),
    ...request.words,
    AO_SESSION: request.sessionId,
    ...movedHome(context),
    AO_DATA_DIR: context.paths.project(request.projectId).sessions,
    AO_PROJECT_ID: request.projectId,
    AO_CONFIG_PATH: context.config.configPath,
    AO_STATE_DIR: request.stateDir,
    AO_CALLER_TYPE: request.role === 'orchestrator' ? 'orchestrator' : 'agent',
    [SPAWN_MARKER]: request.spawnId,
    // Words, not a path: the wrapper splits them, and `ao` is next to it.
    ...(request.ghFacade ? { AO_GH_FACADE: 'ao gh' } : {}),
  }
}

/** Programs the agent starts must use the same directory, whatever its other variables say. */
function movedHome({ env, paths }: ManagerContext): Record<string, string> {
  return userHome(paths.home, env) === paths.home ? {} : { AO_HOME: paths.home }
}

function pathWith(binDir: string, path: string): string {
  return [binDir, ...path.split(delimiter).filter((entry) => entry !== '' && entry !== binDir)].join(delimiter)
}
