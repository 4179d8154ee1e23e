// Messages wait here until the agent turns to them; each is recorded the moment it is accepted.
import type { SessionLog } from '../session-log.ts'

export interface Message {
  number: number
  text: string
}

export interface Inbox {
  accept(text: string): void
  /** The next message, now or when it arrives. Rejects with the signal's reason when that fires first. */
  next(signal?: AbortSignal): Promise<Message>
  isEmpty(): boolean
}

export function createInbox(log: SessionLog, before: { pending: Message[]; messageCount: number }): Inbox {
  const queue = [...before.pending]
  let count = before.messageCount
  let wake: (() => void) | null = null
  return {
    accept(text) {
      count++
      log.add({ type: 'message.received', number: count, text })
      queue.push({ number: count, text })
      wake?.()
    },
    async next(signal) {
      signal?.throwIfAborted()
      while (queue.length === 0) {
        await new Promise<void>((resolve, reject) => {
          const onAbort = () => reject(signal?.reason)
          signal?.addEventListener('abort', onAbort, { once: true })
          wake = () => {
            signal?.removeEventListener('abort', onAbort)
            resolve()
          }
        })
      }
      return queue.shift()!
    },
    isEmpty: () => queue.length === 0,
  }
}
