// The session that manages the others: one per project, in the project directory itself, without permission prompts.
import { randomUUID } from 'node:crypto'
import { ORCHESTRATOR_SUFFIX } from '../../contract/ids.ts'
import type { OrchestratorSpawnConfig, Session, WithUndefined } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { orchestratorPrompt } from '../../core/prompt/orchestrator-prompt.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { saveSystemPrompt } from '../../store/session/session-file.ts'
import { findArchived, type ManagerContext, requireLaunchConsent, requireProject, scmOf } from '../context.ts'
import { get } from '../observe/enrich.ts'
import { recover } from '../remove/recover.ts'
import type { OnProgress } from '../types.ts'
import { executeLaunch } from './execute-launch.ts'
import { launchParts, makePlan, requireCommand } from './plan.ts'
import { restore } from './restore.ts'
import { reserve } from './spawn.ts'

/** Starts it, restores it when it has ended, or returns the running one. */
export async function spawnOrchestrator(
  context: ManagerContext,
  config: WithUndefined<OrchestratorSpawnConfig>,
  { onProgress = () => undefined }: { onProgress?: OnProgress | undefined } = {},
): Promise<Session> {
  const project = requireProject(context, config.projectId)
  requireWritable(context.paths)
  await recover(context, project.id)
  const sessionId = `${project.sessionPrefix}${ORCHESTRATOR_SUFFIX}`
  const stateDir = context.paths.project(project.id).stateDir(sessionId)
  const existing = await get(context, sessionId)
  if (existing && !isTerminalSession(existing)) return existing
  requireLaunchConsent(context, project)
  saveSystemPrompt(stateDir, config.systemPrompt ?? orchestratorPrompt({ project, config: context.config }))
  if (existing || findArchived(context, sessionId)) return restore(context, sessionId, { onProgress })
  return start(context, sessionId, project.id, onProgress)
}

async function start(
  context: ManagerContext,
  sessionId: string,
  projectId: string,
  onProgress: OnProgress,
): Promise<Session> {
  const project = requireProject(context, projectId)
  const store = context.store(projectId)
  const parts = await launchParts(context, project, 'orchestrator', {})
  const planned = makePlan(context, {
    kind: 'orchestrator',
    project,
    parts,
    scm: await scmOf(context, project),
    sessionId,
    spawnId: randomUUID(),
    launch: 1,
    role: 'orchestrator',
    workspace: null,
    git: null,
    path: project.path,
    branch: null,
    issueId: null,
    firstPort: null,
    prompt: null,
  })
  const { plan } = planned
  requireCommand(context, parts.agent, plan.command ?? [], project.path)

  store.ensure()
  // Another process was faster: its orchestrator is the one.
  if (!(await reserve(context, store, plan, { operation: 'spawn', prAutoDetect: 'off' })))
    return (await get(context, sessionId)) ?? restore(context, sessionId, { onProgress })
  failpoint('orchestrator.reserved')
  const job = { ...planned, project, store, parts, workspace: null, restoring: null, onProgress }
  const { session } = await store.withOperation(sessionId, () => executeLaunch(context, job))
  return session
}
