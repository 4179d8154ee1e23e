// Removes what is finished: the plan says which sessions and why, the run does exactly that.

import { AoError, errorText } from '../../contract/errors.ts'
import { THE_USER } from '../../contract/events.ts'
import { pullRef } from '../../contract/ids.ts'
import type { PullState } from '../../contract/pull.ts'
import { recordOf } from '../../contract/record.ts'
import { type CleanupResult, damageOf, type Session } from '../../contract/session.ts'
import {
  type CheckAnswer,
  type CleanupVerdict,
  STILL_RUNNING,
  verdictFromCheck,
  verdictFromRecord,
} from '../../core/session/plan-cleanup.ts'
import { pullUrls } from '../../core/status/recorded-facts.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { isIssueNotFoundError } from '../../slots/tracker.ts'
import { findActive, type ManagerContext, requireProject, scmOf, trackerOf } from '../context.ts'
import { withdrawMessages } from '../message/withdraw-messages.ts'
import { enrichOne, list } from '../observe/enrich.ts'
import { readOperation } from '../operation.ts'
import type { CleanupDecision, CleanupOptions } from '../types.ts'
import { removeLeftovers } from './leftovers.ts'
import { recover, withSettledOperation } from './recover.ts'
import { removeSession } from './remove-session.ts'

export async function planCleanup(context: ManagerContext, projectId?: string): Promise<CleanupDecision[]> {
  const sessions = await list(context, projectId)
  return Promise.all(sessions.map(async (session) => ({ sessionId: session.id, ...(await verdict(context, session)) })))
}

export async function cleanup(
  context: ManagerContext,
  projectId?: string,
  options: CleanupOptions = {},
): Promise<CleanupResult> {
  if (!options.dryRun) {
    await recover(context, projectId)
    await ignoreFailure('leftovers stay', context.log, () => removeLeftovers(context, projectId))
  }
  const decisions = await planCleanup(context, projectId)
  const result: CleanupResult = { killed: [], skipped: [], errors: [] }
  for (const { sessionId, action } of decisions) {
    if (action === 'skip') {
      result.skipped.push(sessionId)
      continue
    }
    try {
      const isRemoved = options.dryRun || (await cleanUpOne(context, sessionId, options))
      result[isRemoved ? 'killed' : 'skipped'].push(sessionId)
    } catch (error) {
      result.errors.push({ sessionId, error: errorText(error) })
    }
  }
  return result
}

/** false: since the plan was made another command has restored it, removed it, or is working on it. */
async function cleanUpOne(context: ManagerContext, sessionId: string, options: CleanupOptions): Promise<boolean> {
  const found = findActive(context, sessionId)
  if (!found) return false
  const { project, store } = found
  try {
    return await withSettledOperation(context, { project, store, sessionId }, async (isSettled) => {
      if (!isSettled) return false
      const stored = store.read(sessionId)
      if (!stored) return false
      const session = await enrichOne(context, { project, store, stored })
      if ((await verdict(context, session)).action === 'skip') return false
      const previous = session.status
      const held = withdrawMessages(store, sessionId)
      await store.update(
        sessionId,
        { ...held.change, operation: 'cleanup', operationData: { previous } },
        [{ type: 'operation.started', operation: 'cleanup', by: THE_USER }, ...held.events],
        [`cleanup by ${THE_USER}`],
      )
      failpoint('cleanup.announced')
      await removeSession(context, {
        project,
        store,
        sessionId,
        operation: 'cleanup',
        keepWorkspace: false,
        force: false,
        previous,
        by: THE_USER,
        onProgress: () => undefined,
        onLeftRunning: (processes) => options.onLeftRunning?.(sessionId, processes),
        onRescue: (rescue) => options.onRescue?.(sessionId, rescue),
        onNotice: options.onNotice,
      })
      return true
    })
  } catch (error) {
    if (error instanceof AoError && error.code === 'SESSION_BUSY') return false
    throw error
  }
}

async function verdict(context: ManagerContext, session: Session): Promise<CleanupVerdict> {
  const record = recordOf(session)
  const operation = readOperation(record)
  const fromRecord = verdictFromRecord({
    sessionId: session.id,
    role: record.role ?? 'worker',
    status: session.status,
    busy: operation?.ownerAlive ?? false,
    damaged: damageOf(session),
  })
  if (fromRecord) return fromRecord
  for (const check of [checkPr, checkIssue, checkRuntime]) {
    const answer = verdictFromCheck(await ask(() => check(context, session)))
    if (answer) return answer
  }
  return STILL_RUNNING
}

async function ask(check: () => Promise<CheckAnswer>): Promise<CheckAnswer> {
  try {
    return await check()
  } catch (error) {
    return { kind: 'failed', why: errorText(error) }
  }
}

async function checkPr(context: ManagerContext, session: Session): Promise<CheckAnswer> {
  if (!session.pr) return { kind: 'going_on' }
  const project = requireProject(context, session.projectId)
  const scm = await scmOf(context, project)
  if (!scm) return { kind: 'going_on' }
  const states = new Set<PullState>()
  for (const url of pullUrls(recordOf(session))) states.add(await scm.getPRState(pullRef(url), project))
  if (states.has('open')) return { kind: 'going_on' }
  const reason = `its pull request${states.size > 1 ? 's are' : ' is'} ${[...states].join(' or ')}`
  return { kind: 'over', reason }
}

async function checkIssue(context: ManagerContext, session: Session): Promise<CheckAnswer> {
  if (!session.issueId) return { kind: 'going_on' }
  const project = requireProject(context, session.projectId)
  const tracker = await trackerOf(context, project)
  if (!tracker) return { kind: 'going_on' }
  const completed = await isCompleted(tracker, session.issueId, project)
  return completed ? { kind: 'over', reason: `issue ${session.issueId} is completed` } : { kind: 'going_on' }
}

/** An ad-hoc issue that the tracker does not know says nothing about the work. */
async function isCompleted(
  tracker: NonNullable<Awaited<ReturnType<typeof trackerOf>>>,
  issueId: string,
  project: ReturnType<typeof requireProject>,
): Promise<boolean> {
  try {
    return await tracker.isCompleted(issueId, project)
  } catch (error) {
    if (isIssueNotFoundError(error)) return false
    throw error
  }
}

async function checkRuntime(context: ManagerContext, session: Session): Promise<CheckAnswer> {
  if (!session.runtimeHandle) return { kind: 'failed', why: 'it has no runtime handle' }
  const runtime = await context.registry.load('runtime', session.runtimeHandle.runtimeName)
  const alive = await runtime.isAlive(session.runtimeHandle)
  return alive ? { kind: 'going_on' } : { kind: 'over', reason: 'its agent no longer runs' }
}
