// Stops a session. The command keeps the workspace; the library call also removes it and archives the record.

import { THE_USER } from '../../contract/events.ts'
import type { KillOptions } from '../../contract/session.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { type ManagerContext, requireActive, sessionNotFound } from '../context.ts'
import { endBehindTurn } from '../message/end-behind-turn.ts'
import { withdrawMessages } from '../message/withdraw-messages.ts'
import { readOne } from '../observe/enrich.ts'
import type { KillListeners } from '../types.ts'
import { withSettledOperation } from './recover.ts'
import { removeSession } from './remove-session.ts'
import { stopUnrecorded } from './stop-unrecorded.ts'

/** At a person's word; its workspace stays. */
export function finish(context: ManagerContext, sessionId: string): Promise<void> {
  return kill(context, sessionId, { keepWorkspace: true, endAs: 'done' })
}

export async function kill(
  context: ManagerContext,
  sessionId: string,
  options: KillOptions & KillListeners = {},
): Promise<void> {
  try {
    await killRecorded(context, sessionId, options)
  } catch (error) {
    const { force = false, onLeftRunning } = options
    throw await stopUnrecorded(context, sessionId, { force, onLeftRunning }, error)
  }
}

async function killRecorded(
  context: ManagerContext,
  sessionId: string,
  options: KillOptions & KillListeners,
): Promise<void> {
  const { store, project } = requireActive(context, sessionId)
  const keepWorkspace = options.keepWorkspace ?? false
  const force = options.force ?? false
  const by = options.by ?? THE_USER
  const { endAs, pause = false } = options
  await withSettledOperation(context, { project, store, sessionId }, async () => {
    const stored = store.read(sessionId)
    if (!stored) throw sessionNotFound(context, sessionId)
    if (options.switching && stored.record.switchTo === undefined) return
    if (options.rewinding && stored.record.returner === undefined) return
    const previous = (await readOne(context, { project, store, stored })).status
    // Whoever ends it for good does not want it continued with another account either.
    const held = options.keepMessages ? { change: {}, events: [] } : withdrawMessages(store, sessionId)
    const behind = await endBehindTurn(context, { project, store, stored }, { keep: options.keepMessages === true })
    await store.update(
      sessionId,
      (record) => ({
        ...held.change,
        ...behind.change(record),
        operation: 'kill',
        operationData: { previous, keepWorkspace, force, by, endAs, pause: pause || undefined },
      }),
      [{ type: 'operation.started', operation: 'kill', by }, ...held.events, ...behind.events],
      [`${pause ? 'pause' : 'kill'} by ${by}`],
    )
    failpoint('kill.announced')
    if (behind.undelivered > 0) options.onNotice?.(notDelivered(sessionId, behind.undelivered))
    await removeSession(context, {
      project,
      store,
      sessionId,
      operation: 'kill',
      keepWorkspace,
      force,
      previous,
      by,
      endAs,
      pause,
      onProgress: options.onProgress ?? (() => undefined),
      onLeftRunning: options.onLeftRunning,
      onRescue: options.onRescue,
      onNotice: options.onNotice,
    })
  })
}

function notDelivered(sessionId: string, count: number): string {
  const what =
    count === 1 ? '1 message that waited behind a turn was' : `${count} messages that waited behind a turn were`
  return `${what} not delivered to ${sessionId}. Read the messages with: ao events ${sessionId}`
}
