// The owner of a live session: nothing else assigns one of its fields, appends to its event log or writes its meta.json.
// Everything goes one way: decide, append, evolve, commit, save.
import type { DrivenMessage } from '../../contract/agh/driver.ts'
import type { EventDraft, EventRow } from '../../contract/agh/events.ts'
import type { Activity, SessionDigest, SessionMeta } from '../../contract/agh/session-meta.ts'
import { errorText } from '../../contract/errors.ts'
import type { Command, CommandOf, Decided, Effect } from '../../core/agh/machine/command.ts'
import { decide, evolve } from '../../core/agh/machine/decide.ts'
import { type Change, stateWord, turnOf } from '../../core/agh/machine/session-state.ts'
import { nowIso, sleep } from '../../lib/clock.ts'
import type { AgentProcess } from '../acp/agent-process.ts'
import type { AgentConnection } from '../acp/connection.ts'
import { writeMeta } from '../store/meta-file.ts'
import type { AghContext } from './context.ts'
import type { LiveSession, RunningTurn } from './live-session.ts'
import { cancelPermissions } from './turn/permission-desk.ts'
import { createPromptWaiter, type PromptWaiter } from './turn/prompt-waiter.ts'

type Owned = { -readonly [K in keyof LiveSession]: LiveSession[K] } & {
  messages: Map<string, DrivenMessage['state']>
  waiters: Map<string, PromptWaiter>
  timers: Set<NodeJS.Timeout>
}

/** Resolves when all of it is done: the events are on disk where they must be, and the metadata after them. */
export async function perform(context: AghContext, session: LiveSession, command: Command): Promise<void> {
  const decided = requireAllowed(session, command)
  const { row, effects } = publish(context, session, decided)
  await row
  saveDecided(context, session, decided)
  await Promise.all(effects)
}

/** The same for changes that nobody waits for: committed with the next batch. */
export function take(context: AghContext, session: LiveSession, command: Command): void {
  publish(context, session, requireAllowed(session, command))
}

/** Throws the machine's objection. */
export function requireAllowed(session: LiveSession, command: Command): Decided {
  const decision = decide(session.meta.id, session.state, command)
  if ('refusal' in decision) throw decision.refusal
  return decision
}

/** The turn is claimed before the write, which may have to wait. A prompt that cannot be recorded leaves no turn behind. */
export async function beginTurn(
  context: AghContext,
  session: LiveSession,
  command: CommandOf<'begin_turn'>,
  running: RunningTurn,
): Promise<EventRow> {
  const decided = requireAllowed(session, command)
  own(session).running = running
  try {
    return (await publish(context, session, decided).row)!
  } catch (error) {
    note(session, { type: 'turn_withdrawn', turnId: running.id })
    throw error
  }
}

/** Its agent outlived another daemon: the session continues where it was, with its turn. */
export function adopt(
  context: AghContext,
  session: LiveSession,
  command: CommandOf<'adopt'>,
  running: RunningTurn | null,
): void {
  const decided = requireAllowed(session, command)
  own(session).running = running
  publish(context, session, decided)
}

/** Something that happened but is not logged. */
export function note(session: LiveSession, change: Change): void {
  const owned = own(session)
  owned.state = evolve(owned.state, change)
  if (owned.running && turnOf(owned.state)?.id !== owned.running.id) owned.running = null
}

interface Published {
  /** The last event, once it is committed; null when there is nothing to wait for. */
  row: Promise<EventRow> | null
  effects: Promise<void>[]
}

function publish(context: AghContext, session: LiveSession, decided: Decided): Published {
  const { drafts, isDurable, change } = decided
  session.store.hold()
  try {
    const effects = decided.effects.map((effect) => runEffect(context, session, effect))
    let row: Promise<EventRow> | null = null
    for (const [index, draft] of drafts.entries()) {
      if (isDurable && index === drafts.length - 1) row = appendDurable(session, draft, decided)
      else session.store.append(draft)
    }
    if (change) note(session, change)
    return { row, effects }
  } finally {
    session.store.release()
  }
}

function appendDurable({ store }: LiveSession, draft: EventDraft, { settles, rewords }: Decided): Promise<EventRow> {
  if (rewords !== null) return store.appendReworded(draft, { id: rewords.keptAs, text: rewords.text })
  return settles === null ? store.appendDurable(draft) : store.appendDelivered(draft, settles)
}

/** After the end, only the end itself is still saved. */
function saveDecided(context: AghContext, session: LiveSession, { change, meta }: Decided): void {
  const isOver = session.state.phase.name === 'stopped' && change?.type !== 'session_stopped'
  if (meta && !isOver) saveMeta(context, session, meta)
}

/** Durable: for what must be known after a crash. */
export function saveMeta(context: AghContext, session: LiveSession, changes: Partial<SessionMeta>): void {
  const last_sequence = session.store.committedSequence()
  changeMeta(session, { ...changes, state: stateWord(session.state), last_sequence, updated_at: nowIso(context) })
  writeMeta(context.paths, session.meta, { durable: true })
}

/** Written with every heartbeat; worthless after a crash, so it is not synced to disk. */
export function saveActivity(context: AghContext, session: LiveSession, activity: Activity): void {
  changeMeta(session, { activity })
  writeMeta(context.paths, session.meta, { durable: false })
}

/** Written together with the next of the others, at the end of a turn at the latest. */
export function keepDigestInMemory(session: LiveSession, digest: SessionDigest): void {
  changeMeta(session, { digest })
}

/** It has ended, but that could not be written: readers see it, and a repair writes it. */
export function endUnwritten(context: AghContext, session: LiveSession, end: Partial<SessionMeta>): void {
  note(session, { type: 'session_stopped' })
  changeMeta(session, { ...end, state: stateWord(session.state) })
  context.unwritten.set(session.meta.id, session.meta)
}

function changeMeta(session: LiveSession, changes: Partial<SessionMeta>): void {
  own(session).meta = { ...session.meta, ...changes }
}

export function takeProcess(session: LiveSession, process: AgentProcess): void {
  own(session).process = process
}

export function takeConnection(session: LiveSession, connection: AgentConnection): void {
  own(session).connection = connection
}

/** The first caller to end it decides how; the others wait for that. */
export function finishOnce(session: LiveSession, finish: () => Promise<SessionMeta>): Promise<SessionMeta> {
  const owned = own(session)
  owned.finishing ??= finish()
  return owned.finishing
}

/** null: treated as if it had never arrived. */
export function noteMessage(session: LiveSession, id: string, state: DrivenMessage['state'] | null): void {
  if (state === null) own(session).messages.delete(id)
  else own(session).messages.set(id, state)
}

export function addWaiter(session: LiveSession, id: string): PromptWaiter {
  const waiter = createPromptWaiter()
  own(session).waiters.set(id, waiter)
  return waiter
}

export function removeWaiter(session: LiveSession, id: string): void {
  own(session).waiters.delete(id)
}

export function addTimer(session: LiveSession, timer: NodeJS.Timeout): void {
  own(session).timers.add(timer)
}

export function clearTimer(session: LiveSession, timer: NodeJS.Timeout): void {
  clearTimeout(timer)
  own(session).timers.delete(timer)
}

function own(session: LiveSession): Owned {
  return session as Owned
}

/** Begins immediately; resolves when done. */
async function runEffect(context: AghContext, session: LiveSession, effect: Effect): Promise<void> {
  switch (effect) {
    case 'withdraw_questions':
      return cancelPermissions(session.permissions)
    case 'send_cancel':
      return sendCancel(context, session)
    case 'abort_start':
      return session.abort.abort()
  }
}

/** Resolves when it is written, or when the agent has clearly stopped reading. */
export async function sendCancel(context: AghContext, session: LiveSession): Promise<void> {
  const sent = session.connection?.agent
    .notify('session/cancel', { sessionId: session.meta.acp_session_id ?? '' })
    .catch((error) => {
      // An agent that no longer listens is ended by other means; that is handled elsewhere.
      context.log.debug(`session/cancel was not sent: ${errorText(error)}`)
    })
  await within(sent, CANCEL_GRACE_MS)
}

/** For what a well-behaved agent does immediately. */
export const CANCEL_GRACE_MS = 1_000

/** Resolves with the promise, or when the time is up. */
export async function within(promise: Promise<unknown> | undefined, ms: number): Promise<void> {
  if (!promise) return
  const settled = new AbortController()
  await Promise.race([promise, sleep(ms, settled)]).finally(() => settled.abort())
}
