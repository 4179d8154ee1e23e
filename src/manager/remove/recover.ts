// What a killed command left behind: finished or rolled back by the next command.

import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { type OtherEvent, THE_USER } from '../../contract/events.ts'
import { EMPTY_RECORD, type RecordChange, type SessionRecord } from '../../contract/record.ts'
import { firstMessageId, withMessage } from '../../contract/record-values.ts'
import { isSameAccount, presentAccount } from '../../core/budget/choose-fallback.ts'
import { factsOfStatus } from '../../core/status/derive-status.ts'
import { STARTED } from '../../core/status/status-of-record.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { readPrompt, removeState } from '../../store/session/session-file.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { findActive, type ManagerContext, requireProject, workspaceOf } from '../context.ts'
import { accountKeys } from '../fallback/account-keys.ts'
import { rollBackRestored, rollBackWorkspace } from '../launch/roll-back.ts'
import {
  isPromptLeft,
  NO_OPERATION,
  NOT_GOING_BACK,
  NOT_STARTED,
  type OperationRecord,
  readOperation,
} from '../operation.ts'
import { ownRecord } from '../own-record.ts'
import { findRuntime, removeSession } from './remove-session.ts'

export type RecoverOutcome = 'finished' | 'taken_back'

export async function recover(
  context: ManagerContext,
  projectId?: string,
  onFailure?: (sessionId: string, why: string) => void,
): Promise<Array<{ sessionId: string; outcome: RecoverOutcome }>> {
  const recovered: Array<{ sessionId: string; outcome: RecoverOutcome }> = []
  const all = Object.values(context.config.projects)
  for (const project of projectId === undefined ? all : [requireProject(context, projectId)]) {
    const store = context.store(project.id)
    for (const sessionId of store.list()) {
      const outcome = await recoverOne(context, project, store, sessionId, onFailure)
      if (outcome) recovered.push({ sessionId, outcome })
    }
  }
  return recovered
}

/** The same for one session, in whichever project it is. */
export async function recoverSession(context: ManagerContext, sessionId: string): Promise<RecoverOutcome | null> {
  const found = findActive(context, sessionId)
  return found ? recoverOne(context, found.project, found.store, sessionId) : null
}

async function recoverOne(
  context: ManagerContext,
  project: ProjectConfig,
  store: SessionStore,
  sessionId: string,
  onFailure?: (sessionId: string, why: string) => void,
): Promise<RecoverOutcome | null> {
  const stored = store.read(sessionId)
  // What a newer program left is its own to settle.
  if (stored?.newer !== undefined) return null
  if (!isAbandoned(store, sessionId) && !isPromptLeft(stored?.record ?? EMPTY_RECORD)) return null
  try {
    const settled = await store.withOperation(sessionId, () => settleAbandoned(context, { project, store, sessionId }))
    return (await handOverPrompt(context, store, sessionId)) ? 'finished' : settled
  } catch (error) {
    onFailure?.(sessionId, errorText(error))
    return notSettled(context, sessionId, error)
  }
}

/**
 * The session's operation, with nothing left of one that was killed: whoever held the lock until now may have died with an
 * agent just started. `work` learns whether that could be settled.
 */
export function withSettledOperation<T>(
  context: ManagerContext,
  session: { project: ProjectConfig; store: SessionStore; sessionId: string },
  work: (isSettled: boolean) => Promise<T>,
): Promise<T> {
  const { store, sessionId } = session
  return store.withOperation(sessionId, async () => {
    await settleAbandoned(context, session).catch((error) => notSettled(context, sessionId, error))
    return work(!isAbandoned(store, sessionId))
  })
}

/** Under the session's lock. */
async function settleAbandoned(
  context: ManagerContext,
  { project, store, sessionId }: { project: ProjectConfig; store: SessionStore; sessionId: string },
): Promise<RecoverOutcome | null> {
  const operation = isAbandoned(store, sessionId)
  if (!operation) return null
  const { record } = await ownRecord(context, project, sessionId, store.read(sessionId)!)
  const outcome = await settle(context, { project, store, sessionId, record, operation })
  await store.appendEvents(sessionId, [{ type: 'operation.recovered', operation: operation.kind, outcome }])
  context.log.info(
    `${sessionId}: an interrupted ${operation.kind} was ${outcome === 'finished' ? 'finished' : 'rolled back'}`,
  )
  return outcome
}

/** Its intent stays and the next command tries again; other sessions are not held up. */
function notSettled(context: ManagerContext, sessionId: string, error: unknown): null {
  context.log.warn(`${sessionId}: an interrupted operation could not be settled: ${errorText(error)}`)
  return null
}

function isAbandoned(store: SessionStore, sessionId: string): OperationRecord | null {
  const operation = readOperation(store.read(sessionId)?.record ?? EMPTY_RECORD)
  return operation && !operation.ownerAlive ? operation : null
}

/** Queued first, so that it is handed over later if the agent does not take it now. false: there was nothing to hand over. */
async function handOverPrompt(context: ManagerContext, store: SessionStore, sessionId: string): Promise<boolean> {
  const { record } = store.read(sessionId) ?? { record: EMPTY_RECORD }
  if (!isPromptLeft(record)) return false
  const text = readPrompt(store.paths.stateDir(sessionId))
  const messageId = firstMessageId(sessionId, record)
  const isQueued = store
    .readHistory(sessionId)
    .events.some((one) => one.type === 'message.queued' && one.messageId === messageId)
  if (text === null || isQueued) {
    await store.update(sessionId, { promptSender: null })
    return false
  }
  await store.update(
    sessionId,
    (now) => ({ promptSender: null, promptDelivered: 'held', ...withMessage(now, messageId) }),
    [
      { type: 'message.queued', messageId, text, source: 'spawn', attachments: record.attachments },
      { type: 'message.held', messageId, why: 'its start was interrupted' },
    ],
  )
  const { deliverToStarted } = await import('../launch/first-prompt.ts')
  await ignoreFailure(`the prompt of ${sessionId} is sent later`, context.log, () =>
    deliverToStarted(context, sessionId),
  )
  return true
}

interface Abandoned {
  project: ProjectConfig
  store: SessionStore
  sessionId: string
  record: SessionRecord
  operation: OperationRecord
}

function settle(context: ManagerContext, abandoned: Abandoned): Promise<RecoverOutcome> {
  switch (abandoned.operation.kind) {
    case 'spawn':
      return settleSpawn(context, abandoned)
    case 'restore':
      return settleRestore(context, abandoned)
    case 'kill':
    case 'cleanup':
      return finishRemoval(context, abandoned, abandoned.operation.kind)
    case 'rewind':
      return import('./turns.ts').then(({ finishRewind }) => finishRewind(context, abandoned))
  }
}

/** An agent that was already started is kept; otherwise nothing of the spawn remains. */
async function settleSpawn(context: ManagerContext, abandoned: Abandoned): Promise<RecoverOutcome> {
  const { project, store, sessionId, record, operation } = abandoned
  const found = await findRuntime(context, project.id, sessionId, record)
  if (found) {
    await store.update(
      sessionId,
      { ...STARTED, runtimeHandle: found.handle, ...NO_OPERATION },
      [],
      ['its interrupted spawn was finished'],
    )
    return 'finished'
  }
  if (record.worktree !== undefined) {
    const workspace = await workspaceOf(context, project, record.workspace)
    const info = {
      path: record.worktree,
      branch: record.branch ?? '',
      sessionId,
      projectId: project.id,
      branchCreated: operation.data.branchIsNew === true,
    }
    await rollBackWorkspace(workspace, info, project)
  }
  removeState(context.paths.project(project.id).stateDir(sessionId), { waits: record.waitsSince !== undefined })
  // One that waited waits again.
  if (record.waitsSince) await store.update(sessionId, NOT_STARTED)
  else await store.remove(sessionId)
  return 'taken_back'
}

async function settleRestore(context: ManagerContext, abandoned: Abandoned): Promise<RecoverOutcome> {
  const { project, store, sessionId, record, operation } = abandoned
  const spawnId = operation.data.spawnId
  const { runtimeHandle: _old, ...withoutHandle } = record
  const found = spawnId ? await findRuntime(context, project.id, sessionId, { ...withoutHandle, spawnId }) : null
  if (found && spawnId) {
    const account = startedAccount(record, operation.data)
    const change: RecordChange = {
      ...account.change,
      ...STARTED,
      restoredAt: context.clock.now(),
      runtimeHandle: found.handle,
      spawnId,
      // Already counted if the command died only after it was recorded.
      launch: (record.launch ?? 1) + (record.spawnId === spawnId ? 0 : 1),
      ...NOT_GOING_BACK,
      ...NO_OPERATION,
    }
    await store.update(sessionId, change, account.events)
    return 'finished'
  }
  const { worktree = project.path } = record
  const workspace = await workspaceOf(context, project, record.workspace)
  if (operation.data.fromArchive) {
    await rollBackRestored(workspace, worktree, { project, sessionId })
    await store.remove(sessionId)
  } else {
    // It was an active session, so a complete workspace stays, whoever created it.
    if (worktree !== project.path) await workspace.rollBack?.(worktree)
    await store.update(sessionId, { ...factsOfStatus(operation.data.previous ?? 'killed'), ...NO_OPERATION })
  }
  return 'taken_back'
}

/** The account that the restore started its agent with, unless it was recorded already. */
function startedAccount(
  record: SessionRecord,
  { agent, account }: OperationRecord['data'],
): { change: RecordChange; events: OtherEvent[] } {
  const from = presentAccount(record)
  if (agent === undefined || record.switchTo === undefined || !from) return { change: {}, events: [] }
  const to = { agent, account: account ?? null }
  if (isSameAccount(from, to)) return { change: accountKeys(record, null), events: [] }
  const { why } = record.switchTo
  return { change: accountKeys(record, { to }), events: [{ type: 'account.changed', from, to, why }] }
}

async function finishRemoval(
  context: ManagerContext,
  abandoned: Abandoned,
  kind: 'kill' | 'cleanup',
): Promise<RecoverOutcome> {
  const { project, store, sessionId, operation } = abandoned
  const { keepWorkspace = false, force = false, previous = 'killed', by = THE_USER, endAs, pause } = operation.data
  await removeSession(context, {
    ...{ project, store, sessionId, operation: kind, keepWorkspace, force, previous, by, endAs, pause },
    onProgress: () => undefined,
  })
  return 'finished'
}
