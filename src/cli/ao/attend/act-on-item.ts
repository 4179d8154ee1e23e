// Does what a key of `ao next` stands for; the same operations as the commands and the page.

import { parseAmount } from '../../../contract/budget.ts'
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import { ASK_AGAIN_MESSAGE, type NeedAct } from '../../../contract/dashboard/needs.ts'
import { AoError } from '../../../contract/errors.ts'
import type { QueueItem } from '../../../core/queue/rank-queue.ts'
import { raiseBudget } from '../../../manager/attend/raise-budget.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

const HOUR_MS = 3_600_000

export interface ItemAct {
  act: NeedAct
  item: QueueItem
  card: SessionCard
  /** An answer, or an amount. */
  text: string
}

/** Returns what was done, in a few words. */
export async function actOnItem(ao: Ao, { act, item, card, text }: ItemAct, io: Io): Promise<string> {
  const { manager } = ao
  const { id } = card
  switch (act) {
    case 'allow':
    case 'reject': {
      const request = card.permissions.find(({ requestId }) => requestId === item.requestId)
      if (!request) throw new AoError('PERMISSION_NOT_FOUND', `${id} is no longer waiting for an answer`)
      const decision = act === 'allow' ? 'allow-once' : 'reject-once'
      const { requestId, askedAt } = request
      await manager.answerPermission(id, { requestId, askedAt, decision, by: 'ao next' })
      return act === 'allow' ? 'allowed once' : 'rejected'
    }
    case 'answer':
      return receipt(await manager.deliver(id, text, { source: 'user', byPerson: true }))
    case 'ask_again':
      return receipt(await manager.deliver(id, ASK_AGAIN_MESSAGE, { source: 'user' }))
    case 'retry': {
      const retried = await Promise.all(item.sessions.map((one) => manager.retryTurn(one)))
      return retried.map((one) => (one.receipt ? receipt(one.receipt) : 'sent again')).join(', ')
    }
    case 'raise': {
      const amount = parseAmount(text)
      if (amount === null) throw new AoError('USAGE', `${text} is not an amount of money`)
      return receipt(await raiseBudget(manager, id, amount))
    }
    case 'sign_in': {
      const { attachHere } = await import('../session/attach-here.ts')
      await attachHere(ao, await requireSession(ao.context, id), io)
      return 'left'
    }
    case 'restore':
      for (const one of item.sessions) await manager.restore(one)
      return 'restored'
    case 'start':
      await manager.restore(id)
      return 'started'
    case 'hand_in':
      return receipt(await manager.handIn(id))
    case 'done':
      await manager.finish(id)
      return 'done'
    case 'snooze': {
      const until = new Date(io.clock.now().getTime() + HOUR_MS)
      for (const one of item.sessions) await manager.snooze(one, { until, need: item.kind })
      return 'put off for an hour'
    }
    case 'review': {
      const { diff } = await manager.diff(await requireSession(ao.context, id))
      io.write(`${diff}\n`)
      return card.pr === null ? '' : `Review it with: ao pr review ${card.pr.number ?? card.pr.url}`
    }
    case 'merge':
      if (!card.pr?.headSha) throw new AoError('PR_NOT_FOUND', `The head of the pull request of ${id} is unknown`)
      return (await manager.merge(id, card.pr.headSha)).boarded ? 'aboard the train' : 'merged'
  }
}

function receipt({ level, why }: { level: string; why?: string | undefined }): string {
  return `${level.replace('_', ' ')}${why ? `: ${why}` : ''}`
}
