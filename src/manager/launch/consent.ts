// Has the user consented to what starting an agent would do? Checked by everything that starts one.

import { existsSync } from 'node:fs'
import { type AgentFilesOwner, agentFileItems, type Checkout } from '../../config/trust/agent-files.ts'
import { refuseUntrusted, requireTrust, withoutTrusted } from '../../config/trust/trust.ts'
import { ALL_AGENT_FILES } from '../../contract/agents/agent-files.ts'
import { CONSENT_KINDS, type ConsentKind } from '../../contract/config/consent.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { resolveLaunch } from '../../core/session/plan-launch.ts'
import { tryGit } from '../../git/git.ts'
import type { Agent } from '../../slots/agent.ts'
import type { Runtime } from '../../slots/runtime.ts'
import { type ManagerContext, requireProject } from '../context.ts'

/** Checked where it happens: what listens and sends, and what `ao start` does by itself. */
const ELSEWHERE: readonly ConsentKind[] = ['listen', 'send', 'automatic']
const LAUNCH_KINDS = CONSENT_KINDS.filter((kind) => !ELSEWHERE.includes(kind))

/** The configuration's part: commands, environment, external files. Before anything is created or changed. */
export function requireLaunchConsent(context: ManagerContext, project: ProjectConfig): void {
  const { config, paths, env } = context
  requireTrust(config, { home: paths.home, env, projectId: project.id, kinds: LAUNCH_KINDS })
}

/** What a repository's file makes ao do at certain times is agreed to before it happens, whoever asks for it. */
export function requireScheduleConsent({ config, paths, env }: ManagerContext, project: ProjectConfig): void {
  requireTrust(config, { home: paths.home, env, projectId: project.id, kinds: ['automatic'] })
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
