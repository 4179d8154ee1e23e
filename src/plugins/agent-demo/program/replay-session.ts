// The state of a conversation when its process ended, from its records alone.
import { randomUUID } from 'node:crypto'
import type { Reaction, Step } from '../script/script.ts'
import { type DemoRecord, newestConversation } from '../session-records.ts'

export interface Conversation {
  id: string
  /** The rest of the plan. */
  steps: Step[]
  reactions: Reaction[]
  /** Accepted but never begun. */
  pending: Array<{ number: number; text: string }>
  messageCount: number
  /** The process ended in the middle of a turn: it continues on its own. */
  cutOff: boolean
}

export function freshConversation(): Conversation {
  return { id: randomUUID(), steps: [], reactions: [], pending: [], messageCount: 0, cutOff: false }
}

/** null: the file contains no conversation with this id. */
export function replaySession(records: DemoRecord[], id: string): Conversation | null {
  const newest = newestConversation(records)
  const first = newest[0]
  if (first?.type !== 'session.started' || first.id !== id) return null
  const state: Conversation = { id, steps: [], reactions: [], pending: [], messageCount: 0, cutOff: false }
  let plan: Step[] = []
  for (const record of newest) {
    switch (record.type) {
      case 'message.received':
        state.messageCount = Math.max(state.messageCount, record.number)
        state.pending.push({ number: record.number, text: record.text })
        break
      case 'turn.started':
        state.cutOff = true
        state.pending = state.pending.filter((message) => message.number !== record.message)
        break
      case 'answered':
        state.pending = state.pending.filter((message) => message.number !== record.message)
        break
      case 'plan':
        plan = record.steps
        state.steps = plan
        state.reactions = record.reactions
        break
      case 'step.done':
        state.steps = plan.slice(record.index + 1)
        break
      case 'turn.ended':
        state.cutOff = false
        if (record.how === 'finished') state.steps = []
        break
    }
  }
  return state
}
