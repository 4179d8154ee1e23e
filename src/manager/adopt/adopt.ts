// Makes a session of something that ao did not start. Nothing is moved: a worktree stays where it is and is never ao's to remove, an
// agent goes on in its terminal, a conversation is continued by the agent's own resume. All but a terminal are made as ended sessions
// and then restored like any other: killed in between they are rolled back, or can be restored.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { runtimeName } from '../../contract/ids.ts'
import type { RecordChange } from '../../contract/record.ts'
import { ADOPTED_WORKSPACE } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import { type Adoptable, findAdoptable, isSameAdoption, ownBranch } from '../../core/session/plan-adoption.ts'
import { resolveLaunch } from '../../core/session/plan-launch.ts'
import { STARTED } from '../../core/status/status-of-record.ts'
import { openRepository } from '../../git/repository.ts'
import { settleForNewSession } from '../../git/workspace/plan-workspace.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { withLock } from '../../lib/lock.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { type ManagerContext, requireLaunchConsent, requireProject, scmOf, workspaceOf } from '../context.ts'
import { launchParts } from '../launch/plan.ts'
import { restore } from '../launch/restore.ts'
import { requireAgentFileConsent } from '../launch/start-agent.ts'
import { freeIds } from '../launch/task.ts'
import { NO_OPERATION } from '../operation.ts'
import { recover } from '../remove/recover.ts'
import type { RestoreOptions } from '../types.ts'
import { findWork } from './find-work.ts'
import type { FoundAgent } from './running-agents.ts'

export interface AdoptRequest {
  projectId: string
  /** As the preview names it. */
  name: string
  /** For work that no agent has begun; absent: the project's usual one. */
  agent?: string | undefined
  /** What the person was shown and agreed to; anything else is refused. */
  shown?: Adoptable | undefined
}

export async function adopt(
  context: ManagerContext,
  request: AdoptRequest,
  options: Pick<RestoreOptions, 'onProgress' | 'onNotice'> = {},
): Promise<Session> {
  const project = requireProject(context, request.projectId)
  requireWritable(context.paths)
  requireLaunchConsent(context, project)
  await recover(context, project.id)
  context.store(project.id).ensure()
  const repository = openRepository(project.path, context.env)
  // Two at once could make two sessions of one worktree.
  const reserved = await withLock(join(repository.commonDir, 'ao-adopt.lock'), async () => {
    const { work, running } = await findWork(context, project, request.name)
    const wanted = requireAdoptable(project, work, request.name)
    if (request.shown && !isSameAdoption(request.shown, wanted))
      throw new AoError('STATE_REFUSED', `${request.name} is no longer what was shown, and was not adopted`, {
        hint: 'See what it is now with: ao adopt',
      })
    const agent = wanted.agent ?? request.agent ?? resolveLaunch(context.config, project, 'worker').agent
    const taken = running.find(({ terminal }) => wanted.kind === 'terminal' && terminal?.name === wanted.name)
    const usual = await requireReady(context, project, { wanted, agent })
    // A recovery finds an agent by the runtime that its record names.
    const runtime = taken?.at?.runtime.name ?? usual
    const job = { project, wanted, agent, runtime, spawnId: taken && randomUUID() }
    const sessionId = await reserveAdopted(context, job)
    return { sessionId, job, taken }
  })
  failpoint('adopt.reserved')
  const { sessionId, job, taken } = reserved
  if (taken) return takeTerminal(context, { ...job, sessionId }, taken)
  const store = context.store(project.id)
  await store.withOperation(sessionId, async () => {
    // Work that an earlier session of this name left is not this one's.
    await settleForNewSession(repository, sessionId)
    await store.update(sessionId, { ...NO_OPERATION, endedAs: 'killed' }, [], ['it was adopted'])
  })
  failpoint('adopt.recorded')
  try {
    return await restore(context, sessionId, options)
  } catch (error) {
    const hint = `${sessionId} is there and its files are untouched. Start it again with: ao session restore ${sessionId}`
    throw error instanceof AoError
      ? new AoError(error.code, error.message, { hint: `${error.hint ? `${error.hint}. ` : ''}${hint}`, cause: error })
      : error
  }
}

function requireAdoptable(project: ProjectConfig, work: readonly Adoptable[], name: string): Adoptable {
  const wanted = findAdoptable(work, name)
  if (!wanted) {
    throw new AoError('USAGE', `There is nothing called ${JSON.stringify(name)} that ${project.id} could adopt`, {
      hint: 'A session may have it already, or it was held in a directory that is not one of its worktrees. See what there is with: ao adopt',
      details: { name },
    })
  }
  const { refusal } = wanted
  if (refusal) throw new AoError('STATE_REFUSED', `${name} cannot be adopted: ${refusal.why}`, { hint: refusal.hint })
  return wanted
}

interface Job {
  project: ProjectConfig
  wanted: Adoptable
  agent: string
  runtime: string
  /** Of a terminal. */
  spawnId: string | undefined
}

/** Refused before anything is written: a conversation that could not be continued, files that nobody has agreed to. Its runtime. */
async function requireReady(
  context: ManagerContext,
  project: ProjectConfig,
  { wanted, agent }: Pick<Job, 'wanted' | 'agent'>,
): Promise<string> {
  const parts = await launchParts(context, project, 'worker', { agent })
  const { runtime } = parts
  if (wanted.conversation !== null && (runtime.drivesAcpAgents || runtime.elsewhere)) {
    throw new AoError('STATE_REFUSED', `The runtime ${runtime.name} cannot continue a conversation of a terminal`, {
      hint: `Set another one first: ao config set projects.${project.id}.runtime <runtime>`,
    })
  }
  await requireAgentFileConsent(
    context,
    project,
    { agent: parts.agent, runtime: null },
    wanted.directory ?? project.path,
  )
  return runtime.name
}

/** Rolled back like any spawn until it is complete. */
async function reserveAdopted(context: ManagerContext, job: Job): Promise<string> {
  const { project, wanted, agent, runtime, spawnId } = job
  const store = context.store(project.id)
  const workspace = await workspaceOf(context, project)
  const scm = await scmOf(context, project)
  const { sessionIdKey } = await context.registry.load('agent', agent)
  const { conversation, directory } = wanted
  const branch = ownBranch(wanted, project.defaultBranch)
  const isOwn = directory === null || directory === project.path
  for (const { sessionId, path } of freeIds(project, store, workspace)) {
    const record: RecordChange = {
      ...{ project: project.id, role: 'worker', agent, adopted: wanted.kind, branch, worktree: directory ?? path },
      ...{ workspace: isOwn ? workspace.name : ADOPTED_WORKSPACE, conversation: conversation ?? undefined },
      ...{ createdAt: context.clock.now(), tmuxName: runtimeName(context.paths.hash, sessionId) },
      ...{ baseBranch: project.defaultBranch, runtime, spawnId, launch: spawnId ? 1 : 0 },
      forge: scm?.ghFacade ? 'ao' : ((await scm?.webAddress?.(project)) ?? null),
      prAutoDetect: branch === undefined ? 'off' : undefined,
      ...{ operation: 'spawn', operationData: { branchIsNew: false } },
      others: sessionIdKey && conversation !== null ? { [sessionIdKey]: conversation } : undefined,
    }
    const event = { type: 'session.reserved', project: project.id, agent, role: 'worker' } as const
    if (await store.reserve(sessionId, record, { ...event, branch: branch ?? null, issue: null })) return sessionId
  }
  throw new AoError('INTERNAL', `No session of ${project.id} could be reserved`)
}

async function takeTerminal(
  context: ManagerContext,
  { project, wanted, agent, sessionId, spawnId }: Job & { sessionId: string },
  { at, identity }: FoundAgent,
): Promise<Session> {
  const store = context.store(project.id)
  return store.withOperation(sessionId, async () => {
    const stateDir = store.paths.stateDir(sessionId)
    try {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 })
      const launch = { name: runtimeName(context.paths.hash, sessionId), spawnId: spawnId!, stateDir }
      const workspacePath = wanted.directory!
      const handle = await at!.runtime.foreign!.take(at!.terminal, { ...launch, workspacePath }, identity)
      failpoint('adopt.terminal-taken')
      const started = { type: 'runtime.started' as const, handle, launch: 1, command: [agent] }
      const change = { ...STARTED, runtimeHandle: handle, ...NO_OPERATION }
      return await store.update(sessionId, change, [started], ['it was adopted in its own terminal'])
    } catch (error) {
      await store.appendEvents(sessionId, [
        { type: 'operation.failed', operation: 'spawn', step: 'take the terminal', error: errorText(error) },
      ])
      await store.remove(sessionId)
      throw error
    }
  })
}
