// The sessions as the board shows them, with what each needs from a person.
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import { readCards } from '../../../dashboard/board/read-cards.ts'
import { createHistoryMemory } from '../../../dashboard/system/history-facts.ts'
import { createManagerContext } from '../../../manager/session-manager.ts'
import type { Io } from '../../io.ts'
import type { Ao } from '../open-ao.ts'

export async function readNeeds({ config, registry, log }: Ao, { env, home, clock }: Io): Promise<SessionCard[]> {
  const context = createManagerContext({ config, registry, log, env, home, clock })
  const reading = { context, histories: createHistoryMemory(), before: () => undefined }
  const { cards } = await readCards(reading, null, () => false)
  return cards.map(({ card }) => card)
}
