// The sessions as the board shows them, with what each needs from a person. One that has ended well needs nobody.
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import type { Session } from '../../../contract/session.ts'
import { isSettled } from '../../../core/board/ended-pages.ts'
import { readCards } from '../../../dashboard/board/read-cards.ts'
import { createHistoryMemory, wasEndedByCommand } from '../../../dashboard/system/history-facts.ts'
import type { Ao } from '../open-ao.ts'

export async function readNeeds({ context }: Pick<Ao, 'context'>): Promise<SessionCard[]> {
  const reading = { context, histories: createHistoryMemory(), before: () => undefined }
  const endedByCommand = ({ id, projectId }: Session) => wasEndedByCommand(context.store(projectId).paths, id)
  const { cards } = await readCards(reading, null, {
    withoutCard: (stored) => new Set(stored.filter((one) => isSettled(one, endedByCommand))),
    isShown: () => false,
  })
  return cards.map(({ card }) => card)
}
