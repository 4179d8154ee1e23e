// Whether the agents of the projects can be started: the program itself, or its ACP command.
import { SUPPORTED_AGENTS } from '../../../agh/setup/supported-agents.ts'
import type { ProjectConfig } from '../../../contract/config.ts'
import { fallbackOf } from '../../../core/budget/choose-fallback.ts'
import { type LaunchChoice, type Role, resolveLaunch } from '../../../core/session/plan-launch.ts'
import { findExecutable } from '../../../lib/find-executable.ts'
import { launchCommand } from '../../../manager/launch/plan.ts'
import type { DetectedPlugin } from '../../../slots/registry.ts'
import { detectedFinding, type Finding, guarded } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

interface Use {
  project: ProjectConfig
  role: Role
  choice: LaunchChoice
  overAcp: boolean
}

export async function checkAgents(ao: Ao, io: Io): Promise<Finding[]> {
  const detected = await ao.registry.detect('agent')
  const uses = await findUses(ao)
  const inTerminals = new Set(uses.filter(({ overAcp }) => !overAcp).map(({ choice }) => choice.agent))
  const findings = detected.filter(({ name }) => inTerminals.has(name)).map(describeAgent)
  const absent = new Set(detected.filter(({ ok }) => !ok).map(({ name }) => name))
  for (const use of uses) {
    // That it is not installed was already reported.
    if (!use.overAcp && absent.has(use.choice.agent)) continue
    findings.push(...(await guarded(`agent ${use.choice.agent}`, () => checkCommand(ao, io, use))))
  }
  return [...unique(findings), ...otherAgents(detected, new Set(uses.map(({ choice }) => choice.agent)))]
}

async function findUses({ config, registry }: Ao): Promise<Use[]> {
  const roles = ['worker', 'orchestrator', 'reviewer'] as const
  const uses = Object.values(config.projects).flatMap((project) =>
    roles.flatMap((role) =>
      [undefined, ...fallbackOf(config, project)].map((account) => ({
        project,
        role,
        choice: resolveLaunch(config, project, role, { account }),
      })),
    ),
  )
  return Promise.all(uses.map(async (use) => ({ ...use, overAcp: await drivesAcp(registry, use.choice.runtime) })))
}

/** A runtime that cannot be used is reported for its agents one by one. */
async function drivesAcp(registry: Ao['registry'], runtime: string): Promise<boolean> {
  try {
    return (await registry.find('runtime', runtime))?.drivesAcpAgents === true
  } catch {
    return false
  }
}

function describeAgent(found: DetectedPlugin): Finding {
  return detectedFinding(`agent ${found.name}`, found)
}

/** The command as it would be started, for a program that only the configuration knows. */
async function checkCommand({ registry, paths }: Ao, io: Io, use: Use): Promise<Finding[]> {
  const { project, role, choice, overAcp } = use
  const agent = await registry.load('agent', choice.agent)
  const runtime = await registry.load('runtime', choice.runtime)
  const parts = { choice, agent, runtime, promptDelivery: agent.promptDelivery }
  const [program = ''] = launchCommand(parts, {
    sessionId: `${project.sessionPrefix}-0`,
    project,
    workspacePath: project.path,
    permissions: choice.permissions,
    config: choice.agentConfig,
    role,
    conversationId: '',
    stateDir: paths.project(project.id).stateDir(`${project.sessionPrefix}-0`),
    mcpCommand: [],
    hookCommand: [],
  })
  const found = findExecutable(program, { env: io.env, cwd: project.path })
  const name = overAcp ? `agent ${choice.agent} over ACP` : `agent ${choice.agent}`
  if (found !== null) return overAcp ? [{ level: 'pass', name, detail: found }] : []
  return [{ level: 'fail', name, detail: `${program} is not on PATH`, fix: howToGet(program, project.id) }]
}

function howToGet(program: string, projectId: string): string {
  const row = SUPPORTED_AGENTS.find(({ command }) => command[0] === program)
  if (row) return row.install
  return `Install it, or correct agentConfig of projects.${projectId}`
}

function otherAgents(detected: DetectedPlugin[], chosen: ReadonlySet<string>): Finding[] {
  const others = detected.filter(({ name, ok }) => ok && !chosen.has(name)).map(({ name }) => name)
  if (others.length === 0) return []
  return [{ level: 'pass', name: 'other agents', detail: `${others.join(', ')} could be used too` }]
}

/** Both roles of all projects are mostly the same. */
function unique(findings: Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.name}: ${finding.detail}`, finding])).values()]
}
