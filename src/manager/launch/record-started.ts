// What a session's record says once its agent is running, whether new or restored.
import type { OtherEvent } from '../../contract/events.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'
import { shortCommand } from '../../core/session/plan-launch.ts'
import { recordedPrFacts } from '../../core/status/recorded-facts.ts'
import { STARTED } from '../../core/status/status-of-record.ts'
import type { ManagerContext } from '../context.ts'
import { accountKeys } from '../fallback/account-keys.ts'
import { NO_OPERATION, THE_USER } from '../operation.ts'
import type { LaunchRun, Restoring } from './launch-run.ts'
import { messageAgain } from './message-again.ts'

/** The last step unless the agent has more to set up: then the intent stays until that is done. */
export async function recordStarted(context: ManagerContext, run: LaunchRun): Promise<void> {
  const { store, plan, restoring } = run
  const handle = run.handle!
  const started = { runtimeHandle: handle, promptDelivered: run.promptDelivered }
  const created: OtherEvent[] = run.created
    ? [{ type: 'workspace.created', path: run.created.path, branch: run.created.branch }]
    : []
  const runs: OtherEvent = {
    type: 'runtime.started',
    handle,
    launch: plan.launch,
    command: shortCommand(run.command),
  }
  if (restoring) {
    const change = { ...started, ...restored(context, run, restoring) }
    const account = (record: SessionRecord) => accountKeys(record, restoring.change, run.usedBefore)
    const again = messageAgain(context, run)
    await store.update(
      plan.session,
      (record) => ({ ...change, ...account(record), ...withoutClosedPr(record), ...again?.change(record) }),
      [
        runs,
        { type: 'session.restored', how: run.resume ? 'resume' : 'fresh', launch: plan.launch },
        ...(restoring.change ? [{ type: 'account.changed', ...restoring.change } as const] : []),
        ...(again?.events ?? []),
      ],
    )
    run.remindsAgent = again !== null
  }
  const isLast = plan.steps.at(-1) === 'write metadata'
  run.recorded = await store.update(
    plan.session,
    { ...started, ...STARTED, ...(isLast ? NO_OPERATION : {}) },
    [...(restoring ? [] : [...created, runs]), ...(isLast ? [finished(run)] : [])],
    [`${plan.agent} was started`],
  )
  run.reached.recorded()
}

export async function recordFinished(run: LaunchRun): Promise<void> {
  const { store, plan } = run
  run.recorded = await store.update(plan.session, NO_OPERATION, [finished(run)], [`${plan.agent} was started`])
}

function finished({ restoring }: LaunchRun): OtherEvent {
  return { type: 'operation.finished', operation: restoring ? 'restore' : 'spawn' }
}

function restored(context: ManagerContext, { plan, handle }: LaunchRun, { by }: Restoring): RecordChange {
  return {
    endedAs: null,
    mergeReported: null,
    restoredAt: context.clock.now(),
    runtime: handle!.runtimeName,
    place: plan.place,
    spawnId: plan.spawnId,
    launch: plan.launch,
    attendedAt: by === THE_USER ? context.clock.now() : undefined,
    inputLine: null,
    submittingMessage: null,
  }
}

/** A closed pull request is history: the restored session is free to open another. */
function withoutClosedPr(record: SessionRecord): RecordChange {
  return recordedPrFacts(record)?.state === 'closed'
    ? { pr: null, prFacts: null, prState: null, ci: null, review: null }
    : {}
}
