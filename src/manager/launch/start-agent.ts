// Around the start of an agent: the user's consent to what it would obey, what must exist beforehand, how its runtime is asked, and the
// files of its task.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentFilesOwner, agentFileItems, type Checkout } from '../../config/trust/agent-files.ts'
import { refuseUntrusted, withoutTrusted } from '../../config/trust/trust.ts'
import { ALL_AGENT_FILES } from '../../contract/agents/agent-files.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { handInOf } from '../../contract/forges.ts'
import { runtimeName } from '../../contract/ids.ts'
import { recordOf } from '../../contract/record.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import { type LaunchPlan, resolveLaunch } from '../../core/session/plan-launch.ts'
import { tryGit } from '../../git/git.ts'
import { excludeAoDirectory } from '../../git/keep-out-of-git.ts'
import { AGENTS_MD_PATH, writeAoDirectory } from '../../inside/agents-md.ts'
import { setupPathWrapperWorkspace, trustRoot } from '../../inside/path-wrappers.ts'
import { sandboxNeeds } from '../../inside/sandbox-needs.ts'
import { lookupIn } from '../../lib/find-executable.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import type { AwayLaunch, Runtime, RuntimeLaunch } from '../../slots/runtime.ts'
import type { Scm } from '../../slots/scm.ts'
import { type ManagerContext, requireLaunchConsent, requireProject } from '../context.ts'
import type { LaunchRun } from './launch-run.ts'
import { type LaunchParts, type LaunchSubject, launchCommand, type PlannedLaunch } from './plan.ts'

/**
 * The planned launch in the workspace that there is now, once the user's consent to the agent's files there is proven: nothing
 * is asked of the agent before.
 */
export async function launchIn(context: ManagerContext, run: LaunchRun): Promise<AgentLaunch> {
  if (run.launch) return run.launch
  const { own, project, parts, path } = run
  await requireAgentFileConsent(context, project, parts, path)
  const paths = context.paths.project(project.id)
  // A sandbox opens only what exists, so where the forge keeps pull requests is made first.
  if (own.scm?.ghFacade) mkdirSync(join(paths.dir, 'pulls'), { recursive: true, mode: 0o700 })
  const launch = {
    ...own.launch,
    workspacePath: path,
    sandbox: sandboxNeeds(paths, project, path, null, own.launch.role),
  }
  run.launch = { ...launch, facts: await readFacts(parts, launch) }
  return run.launch
}

/**
 * What `--dry-run` prints: with what the agent reports about itself, as far as that can be told before its workspace exists. It
 * is asked in the project's own directory.
 */
export async function completePlan(
  context: ManagerContext,
  { project, parts }: Pick<LaunchSubject, 'project' | 'parts'>,
  { plan, own }: PlannedLaunch,
): Promise<LaunchPlan> {
  if (!describesItself(parts)) return plan
  await requireAgentFileConsent(context, project, parts, project.path)
  const facts = await readFacts(parts, { ...own.launch, workspacePath: project.path })
  return { ...plan, command: launchCommand(parts, { ...own.launch, facts }) }
}

function describesItself({ agent, runtime }: LaunchParts): boolean {
  return agent.readFacts !== undefined && !runtime.drivesAcpAgents && !runtime.elsewhere
}

/** The user has consented to the agent's files in the workspace. undefined: the command does not depend on it. */
async function readFacts(parts: LaunchParts, launch: AgentLaunch): Promise<unknown> {
  return describesItself(parts) ? parts.agent.readFacts?.(launch) : undefined
}

/** Everything around the agent that must exist before it starts. Touches no tracked file. */
export async function prepareAgent(
  context: ManagerContext,
  launch: AgentLaunch,
  parts: LaunchParts,
  scm: Scm | null,
): Promise<void> {
  const { agent, runtime } = parts
  // Wrappers write only below roots that the user chose; an agent's environment alone cannot add one.
  await trustRoot(context.paths.home, context.paths.dataDir)
  // For an agent in a place, too: its `gh` and `ao` are answered by those of home.
  const lookup = lookupIn(context.env)
  await setupPathWrapperWorkspace({ home: context.paths.home, aoCommand: context.aoCommand, lookup })
  excludeAoDirectory(launch.workspacePath)
  // It is about handing in work, which a reviewer has none of.
  if (agent.readsAoDirectory && launch.role !== 'reviewer') {
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
  /** The runtime continues this ended session, or begins with a copy of that one. */
  resumes: RuntimeHandle | undefined
  forks: RuntimeHandle | undefined
}

export function startRuntime(
  context: ManagerContext,
  parts: LaunchParts,
  launch: AgentLaunch,
  { spawnId, command, environment, resumes, forks }: StartRequest,
): Promise<RuntimeHandle> {
  const { sessionId, workspacePath, stateDir } = launch
  return parts.runtime.create({
    ...{ sessionId, workspacePath, command, environment, spawnId, stateDir, resumes, forks },
    name: runtimeName(context.paths.hash, sessionId),
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
    mode: launch.mode,
    additionalDirectories: opensDirectories(agent, permissions) ? (launch.sandbox?.write ?? []) : undefined,
    model: agent.acpModelInCommand && launch.config.acpCommand === undefined ? undefined : model,
    instructions: instructions ?? undefined,
  }
}

/** Where nothing may be written, or everything may, there is nothing to open. */
function opensDirectories(agent: Agent, permissions: AgentLaunch['permissions']): boolean {
  return agent.acpSandboxed === true && (permissions === 'default' || permissions === 'auto-edit')
}

/** The repository's part: what the agent itself would obey in exactly this directory. Before any dialog is answered. */
export async function requireAgentFileConsent(
  context: ManagerContext,
  project: ProjectConfig,
  { agent, runtime }: { agent: Agent; runtime: Runtime | null },
  directory: string,
): Promise<void> {
  const entries = [...repositoryFiles(agent), ...(runtime?.elsewhere?.repositoryFiles ?? [])]
  if (entries.length === 0) return
  const { paths, env } = context
  const owner = fileOwner(context, project)
  const items = await agentFileItems(checkoutAt(directory, env), entries, owner)
  const untrusted = withoutTrusted(items, { home: paths.home, env })
  if (untrusted.length > 0) refuseUntrusted(owner.configPath, untrusted, await hintFor(project, directory, env))
}

/** `ao config trust` reads the default branch on its own; other content has to be named. */
async function hintFor(project: ProjectConfig, directory: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (directory === project.path) return undefined
  const names = ['HEAD', `refs/remotes/origin/${project.defaultBranch}`, `refs/heads/${project.defaultBranch}`]
  const found = await Promise.all(
    names.map((name) => tryGit(directory, ['rev-parse', '--verify', name], { env, read: true })),
  )
  const [head = '', ...defaults] = found.map(({ ok, stdout }) => (ok ? stdout.trim() : ''))
  if (head === '' || defaults.includes(head)) return undefined
  return `Read it, then trust it with: ao config trust --ref ${head.slice(0, 12)}`
}

/** Checked before a running agent is ended for a restart: otherwise it would stay ended. */
export async function requireRestartConsent(context: ManagerContext, session: Session): Promise<void> {
  const project = requireProject(context, session.projectId)
  requireLaunchConsent(context, project)
  const record = recordOf(session)
  const { agent } = resolveLaunch(context.config, project, record.role ?? 'worker', { agent: record.agent })
  const directory = session.workspacePath ?? project.path
  if (!existsSync(directory)) return
  const { registry } = context
  const runtime = record.runtime === undefined ? null : await registry.find('runtime', record.runtime)
  await requireAgentFileConsent(context, project, { agent: await registry.load('agent', agent), runtime }, directory)
}

export function repositoryFiles(agent: Agent): readonly string[] {
  return agent.repositoryFiles ?? ALL_AGENT_FILES
}

export function fileOwner({ config }: ManagerContext, project: ProjectConfig): AgentFilesOwner {
  return { configPath: config.configPath, project: project.id }
}

export function checkoutAt(directory: string, env: NodeJS.ProcessEnv): Checkout {
  return {
    directory,
    async isTracked(path) {
      const listed = await tryGit(directory, ['ls-files', '-z', '--', `:(top,literal)${path}`], { env, read: true })
      // A file that git cannot classify counts as the repository's.
      return !listed.ok || listed.stdout !== ''
    },
  }
}
