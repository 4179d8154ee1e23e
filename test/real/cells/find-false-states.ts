// Which reported states were not so, or no longer, by what the model saw: more than a second after the model was asked, the agent is active
// until the answer has ended; more than a second after its last answer it is not, until the next message. Pure.
import type { Step } from '../model/model-server.ts'
import type { SeenState } from './session-life.ts'

export interface FalseState {
  at: number
  activity: string
  /** What was so. */
  truth: 'working' | 'free'
  /** It had been true, and was still reported more than a second later; otherwise it was never true. */
  isLate: boolean
}

interface Seen {
  states: readonly SeenState[]
  steps: readonly Step[]
  /** When messages were sent. */
  sentAt: readonly number[]
}

interface Period {
  from: number
  to: number
  truth: FalseState['truth']
}

const GRACE_MS = 1_000
/** Ends of the process are not judged here: the cell that kills it does. */
const ENDED = ['', 'exited']
const UNTRUE: Readonly<Record<FalseState['truth'], readonly string[]>> = {
  working: ['ready', 'idle', 'blocked', 'waiting_input'],
  free: ['active', 'waiting_input'],
}

export function findFalseStates({ states, steps, sentAt }: Seen): FalseState[] {
  return periodsOf(steps, sentAt).flatMap(({ from, to, truth }) =>
    statesIn(states, from, to)
      .filter(({ activity }) => !ENDED.includes(activity) && UNTRUE[truth].includes(activity))
      .map(({ at, activity }) => ({ at, activity, truth, isLate: at <= from })),
  )
}

function periodsOf(steps: readonly Step[], sentAt: readonly number[]): Period[] {
  return steps.flatMap((step, index) => {
    const { askedAt, answeredAt, reply, isComplete } = step
    // How often it tries again after an error is its own matter.
    if (answeredAt === null || 'error' in reply) return []
    const next = Math.min(steps[index + 1]?.askedAt ?? Infinity, sentAt.find((at) => at > askedAt) ?? Infinity)
    const working: Period = { from: askedAt + GRACE_MS, to: answeredAt, truth: 'working' }
    if ('tool' in reply) return [{ ...working, to: Math.max(answeredAt, steps[index + 1]?.askedAt ?? answeredAt) }]
    return isComplete && next > answeredAt
      ? [working, { from: answeredAt + GRACE_MS, to: next, truth: 'free' as const }]
      : [working]
  })
}

/** What was shown in that time, including what was shown already at its beginning. */
function statesIn(states: readonly SeenState[], from: number, to: number): SeenState[] {
  if (from >= to) return []
  const first = states.findLastIndex(({ at }) => at <= from)
  return states.slice(Math.max(0, first)).filter(({ at }) => at < to)
}
