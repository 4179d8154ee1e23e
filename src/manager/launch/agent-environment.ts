// The environment an agent runs in: the user's own minus what ao reserves, ao's variables, and what the agent asks for.

import { delimiter } from 'node:path'
import { globalConfigPaths } from '../../config/find-config.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { heldVariables } from '../../core/environment/held-variables.ts'
import { type EnvironmentRule, forAgent } from '../../core/environment/inherit-variables.ts'
import type { LaunchChoice, Role } from '../../core/session/resolve-launch.ts'
import { fillVariables } from '../../core/session/session-variables.ts'
import { userHome } from '../../lib/process/own-home.ts'
import { SPAWN_MARKER } from '../../lib/process/process-tree.ts'
import type { Scm } from '../../slots/scm.ts'
import type { ManagerContext } from '../context.ts'

/** Everything that is decided before the agent is asked. It holds the values of the user's variables: never print it. */
export interface EnvironmentParts {
  inherited: Record<string, string>
  /** As configured; it may name words of the session. */
  ofConfig: Record<string, string>
  /** ao's own, whatever the agent and the configuration say. */
  fixed: Record<string, string>
  binDir: string
}

export interface EnvironmentSubject {
  project: ProjectConfig
  sessionId: string
  spawnId: string
  role: Role
  parts: { choice: Pick<LaunchChoice, 'agentConfig'> }
  scm: Scm | null
}

export function environmentParts(context: ManagerContext, subject: EnvironmentSubject): EnvironmentParts {
  const { project, sessionId, spawnId, role, parts, scm } = subject
  const paths = context.paths.project(project.id)
  return {
    inherited: inheritedEnvironment(context, role, project.environment ?? {}),
    ofConfig: parts.choice.agentConfig.env ?? {},
    binDir: context.paths.bin,
    fixed: {
      AO_SESSION: sessionId,
      ...movedHome(context),
      AO_DATA_DIR: paths.sessions,
      AO_PROJECT_ID: project.id,
      AO_CONFIG_PATH: context.config.configPath,
      AO_STATE_DIR: paths.stateDir(sessionId),
      AO_CALLER_TYPE: role === 'orchestrator' ? 'orchestrator' : 'agent',
      [SPAWN_MARKER]: spawnId,
      // Words, not a path: the wrapper splits them, and `ao` is next to it. The forge answers the agent's `gh`.
      ...(scm?.ghFacade ? { AO_GH_FACADE: 'ao gh' } : {}),
    },
  }
}

function inheritedEnvironment({ config, env }: ManagerContext, role: Role, rule: EnvironmentRule) {
  const held = heldVariables(config.source)
  // An orchestrator's `ao spawn` queries the tracker itself.
  const withheld = new Set([...held.byLoop, ...(role === 'orchestrator' ? [] : held.byForge)])
  return forAgent(env, rule, withheld)
}

/** Variables set for this session in addition to the user's own environment. */
export function ownEnvironment(
  { inherited, ofConfig, fixed, binDir }: EnvironmentParts,
  words: Readonly<Record<string, string>>,
  ofAgent: Readonly<Record<string, string>>,
): Record<string, string> {
  const configured = Object.fromEntries(
    Object.entries(ofConfig).map(([name, text]) => [name, fillVariables(text, words)]),
  )
  const PATH = pathWith(binDir, configured.PATH ?? inherited.PATH ?? '')
  return { ...ofAgent, ...configured, PATH, ...words, ...fixed }
}

/** Programs the agent starts must use the same directory, whatever its other variables say. */
function movedHome({ env, paths }: ManagerContext): Record<string, string> {
  if (userHome(paths.home, env) === paths.home) return {}
  // Moved by XDG_DATA_HOME alone, it does not contain the user's own configuration.
  const own = env.AO_HOME ? undefined : globalConfigPaths({ env, home: paths.home })[0]
  return { AO_HOME: paths.home, ...(own !== undefined && { AO_GLOBAL_CONFIG: own }) }
}

function pathWith(binDir: string, path: string): string {
  return [binDir, ...path.split(delimiter).filter((entry) => entry !== '' && entry !== binDir)].join(delimiter)
}
