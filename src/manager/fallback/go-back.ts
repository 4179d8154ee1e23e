// What happens when an account cannot be used: the session is as it was before, and it is known for as long as the limit lasts.

import type { AccountLimit, AgentAccount } from '../../contract/account.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import { withoutMessages } from '../../contract/record-values.ts'
import { isTerminalSession } from '../../contract/status.ts'
import {
  accountName,
  agentAccount,
  isSameAccount,
  limitsAt,
  presentAccount,
  withLimit,
} from '../../core/budget/choose-fallback.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { type ManagerContext, requireActive } from '../context.ts'
import { restore } from '../launch/restore.ts'
import { get } from '../observe/enrich.ts'
import type { SwitchOptions } from '../types.ts'

export function requirePresent(sessionId: string, record: SessionRecord): AgentAccount {
  const present = presentAccount(record)
  if (present) return present
  throw new AoError('STATE_REFUSED', `The record of ${sessionId} names no agent`, { details: { sessionId } })
}

/** One for each start: an interrupted run does not write a second one. */
export function handoverId({ launch = 1 }: SessionRecord): string {
  return `handover-${launch + 1}`
}

/** The other account could not be started: the session is as it was before. Throws why. */
export async function goBack(
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
export async function noteUnusable(
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
    const current = limit ?? limitsAt(limits, now).find((one) => present !== null && isSameAccount(one, present))
    if (!current) return {}
    const unusable = { ...account, until: current.until, why: errorText(error).slice(0, LONGEST_WHY) }
    return { limits: withLimit(withLimit(limits, current, now), unusable, now) }
  })
}
