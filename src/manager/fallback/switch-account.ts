// A session continues with another account or agent: in the same workspace, in a new conversation that begins with a note of
// what was done. The record says so first (`switchTo`), and messages wait from then on. Its agent is ended, then it is
// restored. A crash at any point leaves the intent, and the loop or a restore finishes it.
import { AoError, errorText, SessionNotRestorableError } from '../../contract/errors.ts'
import type { AccountLimit, AgentAccount } from '../../contract/money/account.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession, NON_RESTORABLE_STATUSES } from '../../contract/status.ts'
import {
  accountName,
  agentAccount,
  isSameAccount,
  limitsAt,
  presentAccount,
  withLimit,
} from '../../core/budget/choose-fallback.ts'
import { messageIdsOf, withoutMessages } from '../../core/message/unfinished-messages.ts'
import { spentOf, usageChange } from '../../core/status/spent.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { withLock } from '../../lib/lock.ts'
import { requireWritable } from '../../store/require-writable.ts'
import type { ManagerContext } from '../context.ts'
import { deliverHeld } from '../deliver.ts'
import { restore } from '../launch/restore.ts'
import { enrichOne, get } from '../observe/enrich.ts'
import { type FoundSession, requireActive } from '../observe/find-session.ts'
import { kill } from '../remove/kill.ts'
import { recoverSession } from '../remove/recover.ts'
import type { SwitchOptions } from '../types.ts'
import { composeHandover } from './compose-handover.ts'
import { requireUsable } from './require-usable.ts'

/** A sender that is at work has its message typed, or held, within this time. */
const SEND_LOCK_MS = 60_000

export async function switchAccount(
  context: ManagerContext,
  sessionId: string,
  options: SwitchOptions,
): Promise<Session> {
  requireWritable(context.paths)
  await recoverSession(context, sessionId)
  await announce(context, sessionId, options)
  failpoint('switch.announced')
  const { by, onProgress } = options
  const how = { ...(by !== undefined && { by }), ...(onProgress && { onProgress }) }
  const session = await get(context, sessionId)
  if (session && !isTerminalSession(session)) {
    await kill(context, sessionId, { keepWorkspace: true, keepMessages: true, ...how })
  }
  failpoint('switch.ended')
  const restored = await restore(context, sessionId, { ...how, switching: true }).catch((error) =>
    goBack(context, sessionId, options, error),
  )
  failpoint('switch.restored')
  await ignoreFailure(`what waits for ${sessionId} is delivered later`, context.log, async () => {
    await deliverHeld(context, sessionId)
  })
  return restored
}

/** Refuses what can be refused; then writes down what will be done, unless a run that was interrupted did. */
async function announce(context: ManagerContext, sessionId: string, options: SwitchOptions): Promise<void> {
  const found = requireActive(context, sessionId)
  const { record } = found.stored
  const from = requirePresent(sessionId, record)
  const to = agentAccount(context.config, found.project, record, options.account)
  if (record.switchTo?.account === options.account) return
  const session = await enrichOne(context, found)
  if (NON_RESTORABLE_STATUSES.has(session.status)) {
    throw new SessionNotRestorableError(sessionId, `its status is ${session.status}`)
  }
  if (isSameAccount(from, to)) {
    throw new AoError('STATE_REFUSED', `${sessionId} uses ${accountName(to)} already`, { details: { sessionId } })
  }
  try {
    await requireUsable(context, found, session, to)
  } catch (error) {
    await noteUnusable(context, sessionId, to, { limit: options.limit ?? null, error })
    throw error
  }
  const lock = found.store.paths.lockFile(`${sessionId}.send`)
  await withLock(lock, () => writeIntent(context, { found, session, from, options }), { timeoutMs: SEND_LOCK_MS })
}

function requirePresent(sessionId: string, record: SessionRecord): AgentAccount {
  const present = presentAccount(record)
  if (present) return present
  throw new AoError('STATE_REFUSED', `The record of ${sessionId} names no agent`, { details: { sessionId } })
}

interface Intent {
  found: FoundSession
  session: Session
  from: AgentAccount
  options: SwitchOptions
}

/** Under the send lock: what was delivered before is in the note, and what is sent after it waits. */
async function writeIntent(context: ManagerContext, { found, session, from, options }: Intent): Promise<void> {
  const { store } = found
  const { account, why, limit } = options
  const now = context.clock.now()
  const text = await composeHandover(context, found, session, `${accountName(from)} stopped, because ${why}`)
  const messageId = handoverId(recordOf(session))
  const spent = spentOf(session)
  await store.update(
    session.id,
    (record) => ({
      switchTo: { account, why },
      ...(limit && { limits: withLimit(record.limits ?? [], limit, now.getTime()) }),
      ...(spent && usageChange(spent, now)),
      // Before what waits already: that is about the same work.
      messagesOnTheWay: [messageId, ...messageIdsOf(record).filter((id) => id !== messageId)],
    }),
    [
      { type: 'message.queued', messageId, text, source: 'handover' },
      { type: 'message.held', messageId, why: 'it is for the agent that takes over' },
    ],
  )
}

/** One for each start: an interrupted run does not write a second one. */
function handoverId({ launch = 1 }: SessionRecord): string {
  return `handover-${launch + 1}`
}

/** The other account could not be started: the session is as it was before. Throws why. */
async function goBack(
  context: ManagerContext,
  sessionId: string,
  options: SwitchOptions,
  error: unknown,
): Promise<never> {
  const session = await get(context, sessionId)
  // Somebody else ended it for good, or was faster.
  if (!session || recordOf(session).switchTo === undefined || !isTerminalSession(session)) throw error
  const { store, project, stored } = requireActive(context, sessionId)
  const present = requirePresent(sessionId, stored.record)
  const to = agentAccount(context.config, project, stored.record, stored.record.switchTo!.account)
  // It could not even be restored as it was.
  if (isSameAccount(present, to)) {
    await store.update(sessionId, { switchTo: null })
    throw error
  }
  const why = `${accountName(to)} could not be used`
  const messageId = handoverId(stored.record)
  await noteUnusable(context, sessionId, to, { limit: options.limit ?? null, error })
  await store.update(
    sessionId,
    (record) => ({ switchTo: { account: present.account, why }, ...withoutMessages(record, [messageId]) }),
    [{ type: 'message.withdrawn', messageId, why }],
  )
  failpoint('switch.failed')
  const by = options.by === undefined ? {} : { by: options.by }
  const message = `${sessionId} could not be continued with ${accountName(to)}: ${errorText(error)}`
  try {
    await restore(context, sessionId, { ...by, switching: true })
  } catch (second) {
    await store.update(sessionId, { switchTo: null })
    throw new AoError('SWITCH_FAILED', `${message}. Nor could it be restored as it was: ${errorText(second)}`, {
      hint: `Its work is kept. Restore it with: ao session restore ${sessionId}`,
      cause: second,
    })
  }
  throw new AoError('SWITCH_FAILED', `${message}. It is with ${accountName(present)} again`, { cause: error })
}

const LONGEST_WHY = 300

/** While the present limit lasts it is not tried again. A person who asked for it is not kept from asking again. */
async function noteUnusable(
  context: ManagerContext,
  sessionId: string,
  account: AgentAccount,
  { limit, error }: { limit: AccountLimit | null; error: unknown },
): Promise<void> {
  const now = context.clock.now().getTime()
  const { store } = requireActive(context, sessionId)
  await store.update(sessionId, (record) => {
    const present = presentAccount(record)
    const limits = record.limits ?? []
    const known = limit ?? limitsAt(limits, now).find((one) => present !== null && isSameAccount(one, present))
    if (!known) return {}
    const unusable = { ...account, until: known.until, why: errorText(error).slice(0, LONGEST_WHY) }
    return { limits: withLimit(withLimit(limits, known, now), unusable, now) }
  })
}
