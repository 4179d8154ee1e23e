// The session that manages the others: one per project, in the project directory itself, without permission prompts.
import { randomUUID } from 'node:crypto'
import { errorText } from '../../contract/errors.ts'
import { ORCHESTRATOR_SUFFIX } from '../../contract/ids.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { OrchestratorSpawnConfig, Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { orchestratorPrompt } from '../../core/prompt/orchestrator-prompt.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { metadataToSession } from '../../store/session/metadata-to-session.ts'
import { type ManagerContext, requireProject } from '../context.ts'
import { get } from '../observe/enrich.ts'
import { findArchived } from '../observe/find-session.ts'
import { NO_OPERATION, operationKeys } from '../operation.ts'
import { recover } from '../remove/recover.ts'
import type { OnProgress } from '../types.ts'
import { requireLaunchConsent } from './consent.ts'
import {
  agentLaunch,
  launchCommand,
  launchParts,
  prepareAgent,
  requireCommand,
  saveSystemPrompt,
  shorten,
  startRuntime,
} from './launch.ts'
import { newRecord } from './reserve-session.ts'
import { restore } from './restore.ts'

/** Starts it, brings it back when it ended, and returns the running one when there is one. */
export async function spawnOrchestrator(
  context: ManagerContext,
  config: OrchestratorSpawnConfig,
  onProgress: OnProgress = () => undefined,
): Promise<Session> {
  const project = requireProject(context, config.projectId)
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
  const spawnId = randomUUID()
  const request = {
    project,
    sessionId,
    role: 'orchestrator',
    workspacePath: project.path,
    spawnId,
    parts,
    prompt: null,
    issueId: null,
  } as const
  const launch = agentLaunch(context, request)
  const command = launchCommand(parts, launch)
  requireCommand(context, parts.agent, command, project.path)

  store.ensure()
  const record: RecordChange = {
    project: projectId,
    ...newRecord(context, { ...request, userPrompt: null }),
    worktree: project.path,
    prAutoDetect: 'off',
    ...operationKeys('spawn'),
  }
  const event = { project: projectId, agent: parts.agent.name, branch: null, issue: null, role: 'orchestrator' }
  const reserved = await store.reserve(sessionId, record, { type: 'session.reserved', ...event })
  // Another process was faster: its orchestrator is the one.
  if (!reserved) return (await get(context, sessionId)) ?? restore(context, sessionId, { onProgress })
  failpoint('orchestrator.reserved')
  return store.withOperation(sessionId, async () => {
    try {
      await prepareAgent(context, launch, parts)
      onProgress(`starting ${parts.agent.name} in ${project.path}`)
      const handle = await startRuntime(context, request, launch, launchCommand(parts, launch))
      failpoint('orchestrator.runtime-started')
      const recorded = await store.update(
        sessionId,
        { status: 'working', runtimeHandle: handle, promptDelivered: null, ...NO_OPERATION },
        [
          { type: 'runtime.started', handle, launch: 1, command: shorten(command) },
          { type: 'status.changed', from: 'spawning', to: 'working', evidence: [`${parts.agent.name} was started`] },
          { type: 'operation.finished', operation: 'spawn' },
        ],
      )
      return metadataToSession(sessionId, recorded)
    } catch (error) {
      await store.appendEvents(sessionId, [
        { type: 'operation.failed', operation: 'spawn', step: 'start orchestrator', error: errorText(error) },
      ])
      await store.remove(sessionId)
      throw error
    }
  })
}
