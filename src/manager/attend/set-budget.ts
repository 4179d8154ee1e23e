// A person says what one session may cost, in place of the budget in the configuration.
import type { ManagerContext } from '../context.ts'
import { requireActive } from '../observe/find-session.ts'

/** null: as in the configuration. */
export async function setBudget(context: ManagerContext, sessionId: string, usd: number | null): Promise<void> {
  const { store } = requireActive(context, sessionId)
  // The loop judges it anew; until then nothing claims that the new limit was reached.
  await store.update(sessionId, { budgetUsd: usd, overBudget: null }, ({ budgetUsd }) =>
    (budgetUsd ?? null) === usd ? [] : [{ type: 'budget.changed', usd }],
  )
}
