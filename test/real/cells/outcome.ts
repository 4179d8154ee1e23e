// What became of a cell: a verdict, a note in words, and how late the state that it is about was reported.
import { waitFor } from '../../support/wait-for.ts'
import type { Life } from './session-life.ts'

export interface Outcome {
  /**
   * yes: as it should be. partly: right, but late or not exact. limit: the agent itself cannot do it
   * (contract/agents/agent-limits.ts). no: wrong. none: it does not apply.
   */
  verdict: 'yes' | 'partly' | 'limit' | 'no' | 'none'
  note: string
  /** Of the state that the cell is about. */
  latencyMs?: number
}

export interface Cell {
  name: string
  run(life: Life): Promise<Outcome>
}

const IN_TIME_MS = 1_000
export const STATE_MS = 30_000
export const FREE = ['ready', 'idle']

export const seconds = (ms: number) => (ms / 1000).toFixed(2)

export function timed(since: number, at: number | null, what: string): Outcome {
  if (at === null) return { verdict: 'no', note: `${what} was never reported` }
  const latencyMs = at - since
  return { verdict: latencyMs <= IN_TIME_MS ? 'yes' : 'partly', note: `${seconds(latencyMs)} s`, latencyMs }
}

export async function untilFree(life: Life): Promise<void> {
  const isFree = () =>
    FREE.includes(life.now()?.activity ?? '') && life.model.steps.every(({ answeredAt }) => answeredAt)
  await waitFor('a free agent', isFree, 90_000).catch(() => undefined)
}
