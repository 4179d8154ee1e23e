// Sessions whose record is or was damaged, as notices on the page.
import type { Notice } from '../../contract/dashboard/cards.ts'
import type { ManagerContext } from '../../manager/context.ts'
import type { HistoryMemory } from '../system/history-facts.ts'
import type { CardsRead } from './read-cards.ts'

export interface DamageNotices {
  /** All of them, after these cards were read. */
  take(context: DamageContext, read: CardsRead, only: ReadonlySet<string> | null): Notice[]
}

interface DamageContext {
  context: ManagerContext
  histories: HistoryMemory
}

const DAMAGED = 'damaged '

export function isDamageNotice({ id }: Notice): boolean {
  return id.startsWith(DAMAGED)
}

/** Shown on the page too, even after the record was repaired. */
export function createDamageNotices(): DamageNotices {
  /** Why a record cannot be read properly, by session. */
  const damaged = new Map<string, string>()
  return {
    take({ context, histories }, { cards, found }, only) {
      for (const id of only ?? [...damaged.keys()]) if (!found.has(id)) damaged.delete(id)
      for (const { session } of cards) {
        const why = whyDamaged(context, histories, session)
        if (why === null) damaged.delete(session.id)
        else damaged.set(session.id, why)
      }
      return [...damaged].map(([id, why]) => ({
        id: `${DAMAGED}${id}`,
        level: 'error',
        text: `The record of ${id} is ${why}`,
      }))
    },
  }
}

const MAY_BE_WRONG = 'damaged, so its card may be wrong'

function whyDamaged(
  context: ManagerContext,
  histories: HistoryMemory,
  { id, projectId }: { id: string; projectId: string },
): string | null {
  const store = context.store(projectId)
  const { problems = [], newer } = store.read(id) ?? {}
  if (newer !== undefined) return `not of this version, and nothing is done for it: ${problems.join('; ')}`
  if (problems.length > 0) return `${MAY_BE_WRONG}: ${problems.slice(0, 2).join('; ')}. See: ao doctor`
  const { damage } = histories.read(store, id)
  return damage ? `${MAY_BE_WRONG}: ${damage.why}. What it was is kept as ${damage.setAside}` : null
}
