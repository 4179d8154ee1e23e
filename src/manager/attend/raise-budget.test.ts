import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { Session } from '../../contract/session.ts'
import { raiseBudget } from './raise-budget.ts'

type Manager = Parameters<typeof raiseBudget>[0]

/** A manager that writes down what it was asked to do. */
function managerOf(session: Session): { manager: Manager; calls: string[] } {
  const calls: string[] = []
  const manager = {
    get: async () => session,
    setBudget: async (_: string, usd: number | null) => void calls.push(`budget ${usd}`),
    restore: async () => void calls.push('restore'),
    deliver: async (_: string, text: string) => {
      calls.push(text)
      return { level: 'seen' as const }
    },
  }
  return { manager: manager as unknown as Manager, calls }
}

const over = (overrides = {}) =>
  sampleSession({ activity: 'idle', metadata: { usageTokens: '10', usageCostUsd: '5.2' }, ...overrides })
const CONTINUE = 'You may spend more now. Continue with your task where you stopped.'

describe('raising the budget of a session', () => {
  it('lets a paused one continue, with the new limit written first', async () => {
    const { manager, calls } = managerOf(over())
    expect(await raiseBudget(manager, 'app-1', 10)).toEqual({ level: 'seen' })
    expect(calls).toEqual(['budget 10', CONTINUE])
  })

  it('restores one that was ended', async () => {
    const { manager, calls } = managerOf(over({ status: 'killed', activity: 'exited' }))
    await raiseBudget(manager, 'app-1', 10)
    expect(calls).toEqual(['budget 10', 'restore', CONTINUE])
  })

  it('is refused, and changes nothing, when it has used as much already', async () => {
    const { manager, calls } = managerOf(over())
    await expect(raiseBudget(manager, 'app-1', 5.2)).rejects.toThrow('has used $5.20 already')
    expect(calls).toEqual([])
  })
})
