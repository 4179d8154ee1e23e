// One act on several sessions: one after the other, each with its own result.
import type { SessionCard } from '../../../../../src/contract/dashboard/cards.ts'
import { ask } from '../../../api/client.ts'
import { suggested } from '../../../session/permission-answers.ts'

type Request = SessionCard['permissions'][number]

export type BulkAct = 'send' | 'allow' | 'kill' | 'archive'

/** Whether it can be done to this one. */
export const BULK_ABLE: Record<BulkAct, (card: SessionCard) => boolean> = {
  send: ({ can }) => can.send,
  allow: (card) => allowable(card).length > 0,
  kill: ({ can }) => can.kill,
  archive: ({ can }) => can.remove,
}

/** Requests whose agent does not advise no, with the answer that holds this once. */
export function allowable({ permissions }: SessionCard): Array<{ request: Request; optionId: string }> {
  return permissions.flatMap((request) => {
    const once = suggested(request)
    return once ? [{ request, optionId: once.optionId }] : []
  })
}

export async function carryOutAll(
  act: BulkAct | 'restore',
  cards: readonly SessionCard[],
  message = '',
): Promise<{ done: SessionCard[]; failures: string[] }> {
  const done: SessionCard[] = []
  const failures: string[] = []
  for (const card of cards) {
    const why = await carryOut(act, card, message)
    if (why === null) done.push(card)
    else failures.push(`${card.id}: ${why}`)
  }
  return { done, failures }
}

/** null: it worked; otherwise why not. Only what was shown is allowed: `cards` are as the person saw them. */
async function carryOut(act: BulkAct | 'restore', card: SessionCard, message: string): Promise<string | null> {
  const params = { id: card.id }
  try {
    if (act === 'kill') await ask('POST /api/sessions/:id/kill', { params, body: {} })
    if (act === 'restore') await ask('POST /api/sessions/:id/restore', { params })
    if (act === 'archive') await ask('POST /api/sessions/:id/kill', { params, body: { purge: true } })
    if (act === 'send') {
      const { receipt } = await ask('POST /api/sessions/:id/send', { params, body: { message } })
      if (receipt.level === 'undelivered') return receipt.why ?? 'it was not delivered'
    }
    if (act === 'allow') {
      for (const { request, optionId } of allowable(card)) {
        const { requestId, askedAt } = request
        await ask('POST /api/sessions/:id/permission', { params, body: { requestId, askedAt, optionId } })
      }
    }
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
