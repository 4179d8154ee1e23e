// Starts a session that waits for other work, or was held back, as its record has it.
import { isWaiting } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { THE_USER } from '../../contract/events.ts'
import type { SessionRecord } from '../../contract/record.ts'
import type { Session, SessionSpawnConfig, WithUndefined } from '../../contract/session.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { type ManagerContext, requireActive } from '../context.ts'
import { withRoom } from '../place/choose-place.ts'
import { withSettledOperation } from '../remove/recover.ts'
import { findTask } from '../task/find-task.ts'
import type { OnProgress } from '../types.ts'
import { deliverInitialPrompt } from './first-prompt.ts'
import { findFooting, standOf } from './observe-blockers.ts'
import { launchKeys, launchReserved } from './spawn.ts'
import { checkTask, planTask, spawnIntent } from './task.ts'

export interface StartOptions {
  by?: string
  onProgress?: OnProgress
  /** The session whose branch it starts on, before that has landed. */
  on?: string | undefined
}

/** Starts a session that waits, whatever it waits for. Refused when somebody else has started or ended it meanwhile. */
export async function startWaiting(
  context: ManagerContext,
  sessionId: string,
  { by = THE_USER, onProgress = () => undefined, on }: StartOptions = {},
): Promise<Session> {
  const { project, store } = requireActive(context, sessionId)
  requireWritable(context.paths)
  const { session, prompt } = await withSettledOperation(context, { project, store, sessionId }, async () => {
    const record = store.read(sessionId)?.record
    // A person may also start one that was ended before it began.
    if (!record?.waitsSince || record.operation !== undefined || (by !== THE_USER && !isWaiting(record)))
      throw new AoError('STATE_REFUSED', `${sessionId} is not waiting to be started`, { details: { sessionId } })
    const { wantedModel: model, startMode: mode } = record
    const base = on ?? baseOf(context, project, record)
    const place = isOwnPlace(project, record.place) ? undefined : record.place
    const shared = record.task && findTask(context, record.task.id)?.task
    const task = await checkTask(context, configOf(project.id, record), {
      ...{ place, model, mode, base, now: true },
      shared: shared?.kind === 'split' ? undefined : shared,
    })
    const path = task.workspace.pathFor({ projectId: project.id, sessionId })
    const planned = await planTask(context, task, { sessionId, path })
    const { plan } = planned
    const intent = {
      ...launchKeys(context, plan),
      baseBranch: task.project.defaultBranch,
      stack: task.on && { on: task.on.session },
      ...(await spawnIntent(task, plan)),
    }
    await withRoom(context, plan, async () => {
      await store.update(sessionId, intent, [{ type: 'operation.started', operation: 'spawn' }], [`start by ${by}`])
      return true
    })
    failpoint('spawn.start-announced')
    return launchReserved(context, task, planned, onProgress)
  })
  if (prompt !== null) await deliverInitialPrompt(context, sessionId, prompt, onProgress)
  return session
}

/** The session that it was to stand on, while that is there; else what that has landed in, or the branch as it was then. */
function baseOf(
  context: ManagerContext,
  project: ProjectConfig,
  { baseBranch, stack }: SessionRecord,
): string | undefined {
  if (stack?.on && standOf(context, project, stack.on)) return stack.on
  return baseBranch && `refs/heads/${findFooting(context, project, { baseBranch, stack }).branch}`
}

/** Then it runs wherever the project has room by now. */
function isOwnPlace({ place }: ProjectConfig, recorded: string | undefined): boolean {
  return recorded !== undefined && (typeof place === 'string' ? place === recorded : (place ?? []).includes(recorded))
}

/** The task again, as its record has it. */
function configOf(projectId: string, record: SessionRecord): WithUndefined<SessionSpawnConfig> {
  return {
    projectId,
    issueId: record.issue,
    prompt: record.userPrompt,
    branch: record.branch,
    agent: record.agent,
  }
}
