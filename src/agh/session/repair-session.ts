// Reading a session, which changes nothing; and repairing what a killed daemon left, at the start of the daemon and by
// command: its processes are ended first, then the metadata says `stopped`, and every interrupted turn gets its end.
import type { RepairReport } from '../../contract/agh/answers.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { emptyOutline, mayNeedRepair, planRepair } from '../../core/agh/repair/plan-repair.ts'
import { repairMeta } from '../../core/agh/repair/repair-meta.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { formatIdentity, parseIdentity } from '../../lib/process/process-identity.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'
import type { UnprovenProcess } from '../../lib/process/unproven-processes.ts'
import { isNoSpace } from '../store/database.ts'
import type { EventStore } from '../store/event-store.ts'
import {
  historyFile,
  listSessionIds,
  readMeta,
  removeHalfWritten,
  removeUnborn,
  writeMeta,
} from '../store/meta-file.ts'
import { isSound, openHistory, salvage } from '../store/open-history.ts'
import { readOutline } from '../store/read-outline.ts'
import { type AghContext, nowIso } from './context.ts'

/** As it is. One that has ended but could not be written is shown as it ended. */
export function readSession(context: AghContext, sessionId: string): SessionMeta {
  return context.live.get(sessionId)?.meta ?? context.unwritten.get(sessionId) ?? readMeta(context.paths, sessionId)
}

/** The same, after a repair if it needs one: for commands that act on it. */
export async function repairSession(context: AghContext, sessionId: string): Promise<SessionMeta> {
  if (isStale(context, sessionId)) {
    try {
      await alone(context, sessionId, () => repairStale(context, sessionId))
    } catch (error) {
      if (!isNoSpace(error)) throw error
      // Nothing can be written now; what it is can be said all the same.
      context.log.error(`session ${sessionId} is not repaired yet: ${errorText(error)}`)
    }
  }
  return readSession(context, sessionId)
}

/** Ends that could not be written. Whoever could not be repaired now is tried again with the next call. */
export async function repairUnwritten(context: AghContext): Promise<void> {
  for (const sessionId of [...context.unwritten.keys()]) {
    await ignoreFailure(`session ${sessionId} is not repaired yet`, context.log, async () => {
      await repairSession(context, sessionId)
    })
  }
}

/** Neither stopped nor running here. */
function isStale(context: AghContext, sessionId: string): boolean {
  if (context.live.has(sessionId) || context.starting.has(sessionId)) return false
  return readMeta(context.paths, sessionId).state !== 'stopped'
}

export async function repairTranscript(
  context: AghContext,
  sessionId: string,
  options: { dryRun: boolean },
): Promise<RepairReport> {
  const meta = await repairSession(context, sessionId)
  const live = context.live.get(sessionId)
  if (live) return report(sessionId, planRepair(meta, emptyOutline()), false)
  return alone(context, sessionId, async () => {
    const store = await openSound(context, meta)
    try {
      const plan = planRepair(meta, await readOutline(historyFile(context.paths, sessionId)))
      if (!options.dryRun) {
        for (const draft of plan.drafts) await store.appendDurable(draft)
        markChecked(context, meta, store)
      }
      return report(sessionId, plan, !options.dryRun && plan.drafts.length > 0)
    } finally {
      await store.close()
    }
  })
}

/** The turns of a session that failed have their ends before anybody goes on with it. */
export async function readRepaired(context: AghContext, sessionId: string): Promise<SessionMeta> {
  const meta = await repairSession(context, sessionId)
  if (!mayNeedRepair(meta)) return meta
  await repairTranscript(context, sessionId, { dryRun: false })
  return readSession(context, sessionId)
}

/** Carries over what a damaged history still gives. One that is whole stays as it is. */
export async function salvageHistory(context: AghContext, meta: SessionMeta): Promise<void> {
  await alone(context, meta.id, async () => await (await openSound(context, meta)).close())
}

/** For the start of the daemon. A session that cannot be repaired keeps none of the others from it. */
export async function repairAll(context: AghContext): Promise<void> {
  for (const sessionId of listSessionIds(context.paths)) {
    try {
      await readRepaired(context, sessionId)
    } catch (error) {
      if (removeUnborn(context.paths, sessionId)) continue
      context.log.error(`session ${sessionId} could not be repaired: ${errorText(error)}`)
    }
  }
}

async function repairStale(context: AghContext, sessionId: string): Promise<void> {
  if (!isStale(context, sessionId)) return
  const meta = readMeta(context.paths, sessionId)
  const unproven = await endSurvivors(meta)
  const leftRunning = unproven.length === 0 ? {} : { left_running: unproven }
  const repaired = { ...(context.unwritten.get(sessionId) ?? repairMeta(meta, nowIso(context))), ...leftRunning }
  // Its processes are gone: so much is true from here on, whatever can be written.
  context.unwritten.set(sessionId, repaired)
  const store = await openSound(context, meta)
  try {
    // An end that was written before the crash is not written again.
    const plan = planRepair(repaired, await readOutline(historyFile(context.paths, sessionId)))
    for (const draft of plan.drafts) await store.appendDurable(draft)
    failpoint('agh-repair-events')
    if (store.readLast(1)[0]?.type !== 'session_stopped') {
      const { stop_reason, stop_detail, failure } = repaired
      await store.appendDurable({
        turn_id: null,
        type: 'session_stopped',
        content: { stop_reason, stop_detail, failure, ...leftRunning, repair: true },
      })
    }
    markChecked(context, repaired, store)
    context.unwritten.delete(sessionId)
    removeHalfWritten(context.paths, sessionId)
  } finally {
    await store.close()
  }
}

/** A history that ends in order is not read again at the next start. */
function markChecked(context: AghContext, meta: SessionMeta, store: EventStore): void {
  const last = store.lastSequence()
  writeMeta(context.paths, { ...meta, last_sequence: last, checked_sequence: last }, { durable: true })
}

/** Resolves with what was left alone because nothing proves that it is the session's. */
async function endSurvivors(meta: SessionMeta): Promise<UnprovenProcess[]> {
  if (!meta.process) return []
  const identity = meta.process.identity === null ? null : parseIdentity(meta.process.identity)
  const { left, unproven } = await stopProcesses(meta.process.spawn_id, identity ? [identity] : [], {
    graceMs: 500,
    workspacePath: meta.workspace_path,
  })
  if (left.length === 0) return unproven
  throw new AoError(
    'RUNTIME_FAILED',
    `Processes of session ${meta.id} still run and cannot be ended: ${left.map(formatIdentity).join(', ')}`,
    {
      hint: 'End them by hand, then look again',
    },
  )
}

async function openSound(context: AghContext, meta: SessionMeta): Promise<EventStore> {
  const path = historyFile(context.paths, meta.id)
  const options = {
    clock: context.clock,
    floor: meta.last_sequence,
    onFailure: (error: unknown) => context.log.error(`the history of ${meta.id} cannot be written: ${error}`),
  }
  return (await isSound(path)) ? openHistory(path, options) : salvage(path, options)
}

function report(sessionId: string, plan: ReturnType<typeof planRepair>, persisted: boolean): RepairReport {
  return { session_id: sessionId, issues: plan.issues, actions: plan.actions, persisted }
}

/** One after the other, for one session. */
async function alone<T>(context: AghContext, sessionId: string, act: () => Promise<T>): Promise<T> {
  const before = context.repairing.get(sessionId) ?? Promise.resolve()
  const mine = before.then(act, act)
  context.repairing.set(sessionId, mine)
  try {
    return await mine
  } finally {
    if (context.repairing.get(sessionId) === mine) context.repairing.delete(sessionId)
  }
}
