// Repairs what a killed daemon left behind, when the daemon starts and on command: first its processes are ended, then the
// metadata says `stopped`, and every interrupted turn gets its end.

import type { RepairReport } from '../../contract/agh/answers.ts'
import { contentOf } from '../../contract/agh/events.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { daemonLeft } from '../../core/agh/daemon-left.ts'
import { emptyOutline, mayNeedRepair, planRepair, type RepairPlan } from '../../core/agh/repair/plan-repair.ts'
import { repairMeta } from '../../core/agh/repair/repair-meta.ts'
import { undeliveredTurn } from '../../core/agh/session/waiting-prompt.ts'
import { endHost, killHost } from '../../host/end.ts'
import { nowIso } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { formatIdentity, parseIdentity } from '../../lib/process/process-identity.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'
import type { UnprovenProcess } from '../../lib/process/unproven-processes.ts'
import { agentHostDirectory, stopElsewhere } from '../acp/agent-host.ts'
import { isNoSpace, requireOwnLog } from '../store/database.ts'
import type { EventStore } from '../store/event-store.ts'
import { endLostHosts } from '../store/lost-hosts.ts'
import {
  historyFile,
  listSessionIds,
  readMeta,
  removeHalfWritten,
  removeUnborn,
  writeMeta,
} from '../store/meta-file.ts'
import { isSound, openHistory, salvage } from '../store/open-history.ts'
import { readOutline } from '../store/read-log.ts'
import { adoptSession } from './adopt/adopt-session.ts'
import { recordLastOutput } from './adopt/record-last-output.ts'
import type { AghContext } from './context.ts'
import { logDamaged, previewRepair, reportOf } from './preview-repair.ts'
import { isStale, readSession } from './read-session.ts'

/** The session, repaired first if necessary: for commands that act on it. */
export async function repairSession(context: AghContext, sessionId: string): Promise<SessionMeta> {
  if (isStale(context, sessionId)) {
    try {
      await context.repairing.run(sessionId, () => repairStale(context, sessionId))
    } catch (error) {
      if (!isNoSpace(error)) throw error
      // Nothing can be written now, but its situation can still be reported.
      context.log.error(`session ${sessionId} is not repaired yet: ${errorText(error)}`)
    }
  }
  return readSession(context, sessionId)
}

/** Ends that could not be written. A session that cannot be repaired now is tried again on the next call. */
export async function repairUnwritten(context: AghContext): Promise<void> {
  for (const sessionId of [...context.unwritten.keys()]) {
    await ignoreFailure(`session ${sessionId} is not repaired yet`, context.log, async () => {
      await repairSession(context, sessionId)
    })
  }
}

/** What a repair did, or would do with `dryRun`. */
export async function repairTranscript(
  context: AghContext,
  sessionId: string,
  options: { dryRun: boolean },
): Promise<RepairReport> {
  if (options.dryRun) return previewRepair(context, sessionId)
  return context.repairing.run(sessionId, async () => {
    const stale = await repairStale(context, sessionId)
    if (stale) return reportOf(sessionId, stale, true)
    const meta = readSession(context, sessionId)
    if (meta.state !== 'stopped') return reportOf(sessionId, planRepair(meta, emptyOutline()), false)
    const { store, wasSound } = await openSound(context, meta)
    try {
      const plan = await repairLog(context, meta, store)
      markChecked(context, meta, store)
      if (!wasSound) plan.issues.unshift(logDamaged('The readable part was carried over'))
      return reportOf(sessionId, plan, plan.actions.length > 0 || !wasSound)
    } finally {
      await store.close()
    }
  })
}

/** The turns of a failed session get their ends before it is continued. */
export async function readRepaired(context: AghContext, sessionId: string): Promise<SessionMeta> {
  const meta = await repairSession(context, sessionId)
  if (!mayNeedRepair(meta)) return meta
  await repairTranscript(context, sessionId, { dryRun: false })
  return readSession(context, sessionId)
}

const REPAIRS_AT_ONCE = 16

/** Of the daemon's start. */
export interface Repairs {
  /** How many sessions are not continued or repaired yet. */
  left(): number
  /** Resolves when this session is, which is then the next one; without a session of before this start: when all are. */
  ready(sessionId?: string): Promise<void>
}

/** Begins immediately. A session that cannot be repaired does not block the others. `isLeft`: the rest is the next daemon's. */
export function startRepairs(context: AghContext, isLeft: () => boolean = () => false): Repairs {
  const waiting = new Set(listSessionIds(context.paths))
  const begun = new Map<string, Promise<void>>()
  let left = waiting.size
  const begin = (id: string) => {
    waiting.delete(id)
    const repair = repairAtStart(context, id).finally(() => left--)
    begun.set(id, repair)
    return repair
  }
  const work = async () => {
    for (const id of waiting) if (!isLeft()) await begin(id)
  }
  const all = Promise.all(Array.from({ length: REPAIRS_AT_ONCE }, work)).then(() => undefined)
  return { left: () => left, ready: (id = '') => begun.get(id) ?? (waiting.has(id) ? begin(id) : all) }
}

async function repairAtStart(context: AghContext, sessionId: string): Promise<void> {
  try {
    const { state } = await readRepaired(context, sessionId)
    if (state === 'stopped') await endLostHosts(context.paths, sessionId)
  } catch (error) {
    if (removeUnborn(context.paths, sessionId)) return
    context.log.error(`session ${sessionId} could not be repaired: ${errorText(error)}`)
  }
}

/** Each is tried again until it is continued or repaired. */
export async function retryPostponed(context: AghContext): Promise<void> {
  await Promise.all(
    [...context.postponed.keys()].map(async (sessionId) => {
      if (context.repairing.isTaken(sessionId)) return
      await ignoreFailure(`session ${sessionId} is not continued yet`, context.log, async () => {
        await context.repairing.run(sessionId, () => repairStale(context, sessionId))
      })
    }),
  )
}

/** null: nothing to do, or continued. */
async function repairStale(context: AghContext, sessionId: string): Promise<RepairPlan | null> {
  try {
    const plan = await continueOrRepair(context, sessionId)
    context.postponed.get(sessionId)?.abort()
    context.postponed.delete(sessionId)
    return plan
  } catch (error) {
    if (isPassing(error) && !context.postponed.has(sessionId)) context.postponed.set(sessionId, new AbortController())
    throw error
  }
}

/** Nothing was decided: its host is running and did not answer, or nothing can be written. */
function isPassing(error: unknown): boolean {
  return isNoSpace(error) || (error instanceof AoError && error.code === 'RUNTIME_FAILED')
}

async function continueOrRepair(context: AghContext, sessionId: string): Promise<RepairPlan | null> {
  if (!isStale(context, sessionId)) return null
  if (context.leaving.signal.aborted && !context.unwritten.has(sessionId)) throw daemonLeft()
  // Before anything: an agent of a newer program goes on as it is.
  await requireOwnLog(historyFile(context.paths, sessionId))
  const meta = readMeta(context.paths, sessionId)
  // What outlived the daemon and can go on is not repaired.
  if (!context.closing && !context.unwritten.has(sessionId) && (await adoptSession(context, meta))) return null
  const unproven = await endSurvivors(context, meta)
  const leftRunning = unproven.length === 0 ? {} : { left_running: unproven }
  const ended = { ...(context.unwritten.get(sessionId) ?? repairMeta(meta, nowIso(context))), ...leftRunning }
  // Its processes are gone: that much is true from here on, whether or not it can be written.
  context.unwritten.set(sessionId, ended)
  const { store } = await openSound(context, meta)
  try {
    const repaired = { ...ended, ...endInLog(meta, store) }
    await recordLastOutput(context, meta, store)
    // An end that was written before the crash is not written again.
    const plan = await repairLog(context, repaired, store)
    failpoint('agh-repair-events')
    if (store.readLast(1)[0]?.type !== 'session_stopped') {
      const { stop_reason, stop_detail, failure } = repaired
      await store.appendDurable({
        turn_id: null,
        type: 'session_stopped',
        content: { stop_reason, stop_detail, failure, ...leftRunning, repair: true },
      })
    }
    if (meta.process) endHost(agentHostDirectory(context.paths, { id: sessionId, process: meta.process }))
    markChecked(context, repaired, store)
    context.unwritten.delete(sessionId)
    removeHalfWritten(context.paths, sessionId)
    return plan
  } finally {
    await store.close()
  }
}

/** An end that the log has and the metadata lack is the true one. A start that was interrupted comes after the end in the log. */
function endInLog(meta: SessionMeta, store: EventStore): Partial<SessionMeta> {
  const last = store.readLast(1)[0]
  if (last?.type !== 'session_stopped' || meta.state === 'starting') return {}
  const { stop_reason, stop_detail, failure } = contentOf('session_stopped', last)
  return { stop_reason, stop_detail, failure }
}

/** Every turn gets its end, and every waiting prompt is recorded as undelivered. */
async function repairLog(context: AghContext, meta: SessionMeta, store: EventStore): Promise<RepairPlan> {
  const outline = await readOutline(historyFile(context.paths, meta.id))
  const plan = planRepair(meta, outline, store.waitingMessages())
  for (const draft of plan.drafts) await store.appendDurable(draft)
  for (const waiting of plan.undelivered) {
    const [message, end] = undeliveredTurn(waiting, { isRepair: true })
    store.append(message!)
    await store.appendDelivered(end!, waiting.id)
  }
  return plan
}

/** An event log that ends properly is not read again at the next start. */
function markChecked(context: AghContext, meta: SessionMeta, store: EventStore): void {
  const last = store.lastSequence()
  writeMeta(context.paths, { ...meta, last_sequence: last, checked_sequence: last }, { durable: true })
}

/** Resolves with the processes left alone because nothing proves that they belong to the session. */
async function endSurvivors(context: AghContext, meta: SessionMeta): Promise<UnprovenProcess[]> {
  if (!meta.process) return []
  const directory = agentHostDirectory(context.paths, { id: meta.id, process: meta.process })
  await stopElsewhere(directory, meta.id, 500)
  const identity = meta.process.identity === null ? null : parseIdentity(meta.process.identity)
  const { left, unproven } = await stopProcesses(meta.process.spawn_id, identity ? [identity] : [], {
    graceMs: 500,
    workspacePath: meta.workspace_path,
  })
  if (left.length === 0) {
    killHost(directory)
    return unproven
  }
  throw new AoError(
    'RUNTIME_FAILED',
    `Processes of session ${meta.id} still run and cannot be ended: ${left.map(formatIdentity).join(', ')}`,
    {
      hint: 'End them by hand, then try again',
    },
  )
}

/** A damaged log is salvaged first. */
async function openSound(context: AghContext, meta: SessionMeta): Promise<{ store: EventStore; wasSound: boolean }> {
  const path = historyFile(context.paths, meta.id)
  const options = {
    clock: context.clock,
    floor: meta.last_sequence,
    onFailure: (error: unknown) => context.log.error(`the history of ${meta.id} cannot be written: ${error}`),
  }
  const wasSound = await isSound(path)
  return { store: wasSound ? await openHistory(path, options) : await salvage(path, options), wasSound }
}
