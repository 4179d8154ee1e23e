// The parts of starting an agent in a workspace: its plugins, command, preparation and runtime.
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { requireNamed } from '../../core/config/require-named.ts'
import { runtimeInPlace } from '../../core/place/runtime-in-place.ts'
import { handInOf } from '../../core/prompt/hand-in.ts'
import { type LaunchChoice, type Role, resolveLaunch } from '../../core/session/resolve-launch.ts'
import { AGENTS_MD_PATH, writeAoDirectory } from '../../inside/agents-md.ts'
import { bashLookup, requireBash } from '../../inside/find-bash.ts'
import { excludeAoDirectory } from '../../inside/git-exclude.ts'
import { setupPathWrapperWorkspace } from '../../inside/path-wrappers.ts'
import { trustRoot } from '../../inside/trusted-roots.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import { readIfThere, readPlainText } from '../../lib/plain-file.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import type { AwayLaunch, Runtime, RuntimeLaunch } from '../../slots/runtime.ts'
import type { Scm } from '../../slots/scm.ts'
import { type ManagerContext, runtimeName } from '../context.ts'
import { checkoutAt, requireAgentFileConsent } from './consent.ts'

export interface LaunchParts {
  choice: LaunchChoice
  /** How this agent, with this configuration, takes its prompt. */
  promptDelivery: Agent['promptDelivery']
  agent: Agent
  runtime: Runtime
}

/** The plugins of a launch; fails before anything is created when one is missing. */
export async function launchParts(
  context: ManagerContext,
  project: ProjectConfig,
  role: Role,
  override: {
    agent?: string | undefined
    account?: string | undefined
    runtime?: string | undefined
    place?: string | undefined
  },
): Promise<LaunchParts> {
  if (override.account !== undefined) requireAccount(context, override.account)
  const resolved = resolveLaunch(context.config, project, role, override)
  const usual = override.runtime ?? resolved.runtime
  const runtimeChoice = override.place === undefined ? usual : await runtimeThere(context, usual, override.place)
  const choice = { ...resolved, runtime: runtimeChoice }
  const [agent, runtime] = await Promise.all([
    context.registry.load('agent', choice.agent),
    context.registry.load('runtime', choice.runtime),
  ])
  return {
    choice,
    agent,
    promptDelivery: runtime.drivesAcpAgents
      ? 'post-launch'
      : (agent.promptDeliveryFor?.(choice.agentConfig) ?? agent.promptDelivery),
    runtime,
  }
}

function requireAccount({ config }: ManagerContext, name: string): void {
  requireNamed(config.accounts ?? {}, {
    kind: 'account',
    name,
    code: 'ACCOUNT_NOT_FOUND',
    hint: 'Add it again, or continue the session as it began with: ao session switch <session> --first',
    details: { account: name, configPath: config.configPath },
  })
}

/** In a place agents are spoken to as they would be here: over the protocol, or in a terminal. */
async function runtimeThere({ registry }: ManagerContext, usual: string, place: string): Promise<string> {
  const runtime = await registry.find('runtime', usual)
  return runtimeInPlace(place, runtime?.drivesAcpAgents === true)
}

/** A clear refusal before anything exists, instead of a session that dies immediately. */
export function requireCommand(context: ManagerContext, agent: Agent, command: string[], workspacePath: string): void {
  requireBash(bashLookup(context.env))
  const program = command[0] ?? ''
  if (findExecutable(program, { env: context.env, cwd: workspacePath })) return
  throw new AoError(
    'TOOL_MISSING',
    `The agent ${agent.name} needs the command ${program || '(none)'}, which is not on PATH`,
    {
      hint: 'See which agents are there with: ao doctor',
      details: { agent: agent.name, command: program },
    },
  )
}

/**
 * Everything around the agent that must exist before it starts: first of all, the user's consent. Touches no tracked file.
 */
export async function prepareAgent(
  context: ManagerContext,
  launch: AgentLaunch,
  parts: LaunchParts,
  scm: Scm | null,
): Promise<void> {
  const { agent, runtime } = parts
  await requireAgentFileConsent(context, launch.project, parts, launch.workspacePath)
  // Wrappers write only below roots that the user chose; an agent's environment alone cannot add one.
  await trustRoot(context.paths.home, context.paths.dataDir)
  // For an agent in a place, too: its `gh` and `ao` are answered by those of home.
  const lookup = bashLookup(context.env)
  await setupPathWrapperWorkspace({ home: context.paths.home, aoCommand: context.aoCommand, lookup })
  excludeAoDirectory(launch.workspacePath)
  if (agent.readsAoDirectory) {
    const isThere = existsSync(join(launch.workspacePath, AGENTS_MD_PATH))
    const isTracked = isThere && (await checkoutAt(launch.workspacePath, context.env).isTracked(AGENTS_MD_PATH))
    const handIn = handInOf(scm)
    writeAoDirectory(launch.workspacePath, { sessionId: launch.sessionId, isTracked, handIn })
  }
  // Start-up dialogs and hooks belong to the agent in a terminal.
  // One that runs elsewhere is prepared there.
  if (!runtime.drivesAcpAgents && !runtime.elsewhere) await agent.prepare?.(launch)
}

export interface StartRequest {
  spawnId: string
  command: string[]
  environment: Record<string, string>
  /** The runtime continues this ended session. */
  resumes: RuntimeHandle | undefined
}

export function startRuntime(
  context: ManagerContext,
  parts: LaunchParts,
  launch: AgentLaunch,
  { spawnId, command, environment, resumes }: StartRequest,
): Promise<RuntimeHandle> {
  const { sessionId, workspacePath, stateDir } = launch
  return parts.runtime.create({
    ...{ sessionId, workspacePath, command, environment, spawnId, stateDir, resumes },
    name: runtimeName(context, sessionId),
    agentName: parts.agent.name,
    ...(parts.runtime.drivesAcpAgents ? forProtocol(parts.agent, launch) : {}),
    away: parts.runtime.elsewhere && awayLaunch(context, parts, launch),
  })
}

function awayLaunch(context: ManagerContext, parts: LaunchParts, agent: AgentLaunch): AwayLaunch {
  const { plugins, readyThresholdMs } = context.config
  return {
    sessionId: agent.sessionId,
    project: agent.project,
    agent,
    agentOptions: plugins.agent?.name === parts.agent.name ? (plugins.agent.config ?? {}) : {},
    readyThresholdMs,
    bin: context.paths.bin,
    onNotice: (line) => context.log.warn(line),
  }
}

/** What a terminal agent gets on its command line, an agent without a terminal gets over the protocol. */
function forProtocol(agent: Agent, launch: AgentLaunch): Partial<RuntimeLaunch> {
  const { permissions, systemPromptFile, mcpCommand, model } = launch
  const instructions = systemPromptFile === undefined ? null : readIfThere(systemPromptFile)
  const modes = agent.acpModes?.[permissions]
  return {
    permissions,
    mcpCommand,
    modes,
    additionalDirectories: opensDirectories(agent, permissions) ? (launch.sandbox?.write ?? []) : undefined,
    model: agent.acpModelInCommand && launch.config.acpCommand === undefined ? undefined : model,
    instructions: instructions ?? undefined,
  }
}

/** Where nothing may be written, or everything may, there is nothing to open. */
function opensDirectories(agent: Agent, permissions: AgentLaunch['permissions']): boolean {
  return agent.acpSandboxed === true && (permissions === 'default' || permissions === 'auto-edit')
}

export const PROMPT_FILE = 'prompt.md'
export const SYSTEM_PROMPT_FILE = 'system-prompt.md'

/** The composed prompt is kept, so that a fresh start after a crash sends exactly the same. */
export function savePrompt(stateDir: string, prompt: string | null): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (prompt !== null) writeFileAtomic(join(stateDir, PROMPT_FILE), prompt)
}

export function readPrompt(stateDir: string): string | null {
  return readIfThere(join(stateDir, PROMPT_FILE))
}

export function saveSystemPrompt(stateDir: string, systemPrompt: string): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(stateDir, SYSTEM_PROMPT_FILE), systemPrompt)
}

/** Rules from the configuration and from the project's rules file; a missing file is an error, not silently ignored. */
export function projectRules(project: ProjectConfig): string[] {
  const rules = project.agentRules ? [project.agentRules] : []
  if (project.agentRulesFile === undefined) return rules
  const file = resolve(project.path, project.agentRulesFile)
  try {
    return [...rules, readPlainText(file)]
  } catch (error) {
    throw new AoError('CONFIG_INVALID', `agentRulesFile of project ${project.id} cannot be read: ${errorText(error)}`, {
      details: { file },
      cause: error,
    })
  }
}
