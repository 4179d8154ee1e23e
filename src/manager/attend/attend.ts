// What a person decides about a session that waits for them: later, or hand in your work.
import { AoError } from '../../contract/errors.ts'
import type { SendReceipt } from '../../contract/session.ts'
import { handInOf } from '../../core/prompt/hand-in.ts'
import { scmOf } from '../chosen-plugin.ts'
import type { ManagerContext } from '../context.ts'
import { requireActive } from '../observe/find-session.ts'
import { send } from '../send.ts'
import type { SnoozeRequest } from '../types.ts'

const LONGEST_SNOOZE_MS = 30 * 24 * 3_600_000

export async function snooze(context: ManagerContext, sessionId: string, request: SnoozeRequest | null): Promise<void> {
  const { store } = requireActive(context, sessionId)
  if (request === null) {
    await store.update(sessionId, { snoozedUntil: null, snoozedNeed: null })
    return
  }
  const { until, need } = request
  if (need === 'permission')
    throw new AoError('USAGE', 'A permission expires by itself and cannot be put off', {
      hint: `Answer it: ao session approve ${sessionId}`,
    })
  const ms = until.getTime() - context.clock.now().getTime()
  if (!(ms > 0 && ms <= LONGEST_SNOOZE_MS)) throw new AoError('USAGE', 'It can be put off for at most 30 days')
  await store.update(sessionId, { snoozedUntil: until, snoozedNeed: need }, [
    { type: 'session.snoozed', need, until: until.toISOString() },
  ])
}

export async function handIn(context: ManagerContext, sessionId: string): Promise<SendReceipt> {
  const { project } = requireActive(context, sessionId)
  const { complete } = handInOf(await scmOf(context, project))
  return send(context, sessionId, `Hand in your work now: ${complete}.`, { source: 'user' })
}
