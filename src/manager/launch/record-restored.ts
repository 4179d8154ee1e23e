// What a session's record says once its agent runs again.
import { EMPTY_RECORD, type RecordChange, type SessionRecord } from '../../contract/record.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import { statusOfStarted } from '../../core/status/derive-status.ts'
import { recordedPrFacts } from '../../core/status/recorded-facts.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { ManagerContext } from '../context.ts'
import { NO_OPERATION, THE_USER } from '../operation.ts'
import { shorten } from './launch.ts'

export interface RestoredRecord {
  store: SessionStore
  sessionId: string
  handle: RuntimeHandle
  spawnId: string
  how: 'resume' | 'fresh'
  /** What the record says about the prompt from now on; null: there is none. */
  promptDelivered: RecordChange['promptDelivered']
  launch: number
  previous: SessionStatus
  by: string
  command: string[]
}

/** Step 7: `spawning` and `restoredAt`, then where the work stands, because the runtime has the agent running by now. */
export async function recordRestored(context: ManagerContext, about: RestoredRecord): Promise<Record<string, string>> {
  const { store, sessionId, handle, how, launch, previous } = about
  await store.update(
    sessionId,
    {
      status: 'spawning',
      restoredAt: context.clock.now(),
      runtimeHandle: handle,
      runtime: handle.runtimeName,
      spawnId: about.spawnId,
      launch,
      promptDelivered: about.promptDelivered,
      attendedAt: about.by === THE_USER ? context.clock.now() : undefined,
      inputLine: null,
      submittingMessage: null,
      ...withoutClosedPr(store.read(sessionId)?.record ?? EMPTY_RECORD),
    },
    [
      { type: 'runtime.started', handle, launch, command: shorten(about.command) },
      { type: 'session.restored', how, launch },
      { type: 'status.changed', from: previous, to: 'spawning', evidence: [`restore by ${about.by}`] },
    ],
  )
  const record = store.read(sessionId)?.record ?? EMPTY_RECORD
  const status = statusOfStarted({ hasPr: record.pr !== undefined, pr: recordedPrFacts(record) })
  return store.update(sessionId, { status, ...NO_OPERATION }, [
    { type: 'status.changed', from: 'spawning', to: status, evidence: ['the agent was started'] },
    { type: 'operation.finished', operation: 'restore' },
  ])
}

/** A closed pull request is history: the restored session is free to open another. */
function withoutClosedPr(record: SessionRecord): RecordChange {
  return recordedPrFacts(record)?.state === 'closed'
    ? { pr: null, prFacts: null, prState: null, ci: null, review: null }
    : {}
}
