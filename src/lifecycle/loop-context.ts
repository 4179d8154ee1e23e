// What a tick is given beyond the manager's own context.
import type { ReactionDecision } from '../contract/reactions.ts'
import type { SendReceipt, Session } from '../contract/session.ts'
import type { ManagerContext } from '../manager/context.ts'
import type { Notification } from '../slots/notifier.ts'

export interface LoopContext {
  manager: ManagerContext
  /** Hands a message to an agent and says how far it got. */
  deliver(sessionId: string, text: string, source: string): Promise<SendReceipt>
  /** Stops and restores the agent of a session. */
  restart(sessionId: string): Promise<void>
  /** Queues it durably; the same dedupeKey is told once. */
  notify(notification: Notification): Promise<void>
  /** One line about what the loop does. */
  say(line: string): void
}

/** What one tick did to one session, for logs and tests. */
export interface SessionTick {
  session: Session
  changed: boolean
  decisions: ReactionDecision[]
}
