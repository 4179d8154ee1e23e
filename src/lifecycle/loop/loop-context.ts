// What a tick is given beyond the manager's own context.
import type { ReactionDecision } from '../../contract/reactions.ts'
import type { SendReceipt, Session } from '../../contract/session.ts'
import type { ManagerContext } from '../../manager/context.ts'
import type { Notification } from '../../slots/notifier.ts'
import type { HealthStatus } from '../../store/observability/snapshot.ts'
import type { AoPaths } from '../../store/paths.ts'
import { createReactionStore, type ReactionStore } from '../tick/reaction-memory.ts'

export interface LoopContext {
  manager: ManagerContext
  /** Hands a message to an agent and says how far it got. */
  deliver(sessionId: string, text: string, source: string, how: { interrupt: boolean }): Promise<SendReceipt>
  /** Delivers what was held for an agent that waited for an answer. null: another process is doing so. */
  deliverHeld?(sessionId: string): Promise<SendReceipt[] | null>
  /** Stops and restores the agent of a session, for the history in the name of `by`. */
  restart(sessionId: string, by: string): Promise<void>
  /** Starts a session for an issue of the backlog. */
  spawn(projectId: string, issueId: string): Promise<Session>
  /** Finishes or takes back what commands left half-done. */
  recover?(projectId: string): Promise<Array<{ sessionId: string; outcome: 'finished' | 'taken_back' }>>
  /** Queues it durably; the same dedupeKey is told once. */
  notify(notification: Notification): Promise<void>
  /** One line about what the loop does. */
  say(line: string): void
  /** How a part of the outside world is; only changes are recorded. */
  health(surface: string, status: HealthStatus, reason?: string): void
  /** What was done about reactions, and is not done again. */
  reactions: ReactionStore
  /** Sessions whose decisions are being carried out now. */
  acting: Map<string, Promise<void>>
  /** Sessions whose held messages are being delivered now. */
  releasing: Map<string, Promise<void>>
  /** Ends of check logs that were read already, by pull request, commit and check. Bounded. */
  checkLogs: Map<string, string>
  /** Issues of the backlog whose start failed, and when each may be tried again. Bounded by what is open. */
  refusedIssues: Map<string, number>
}

/** What one tick did to one session, for logs and tests. */
export interface SessionTick {
  session: Session
  changed: boolean
  decisions: ReactionDecision[]
}

type LoopMemory = 'reactions' | 'acting' | 'releasing' | 'checkLogs' | 'refusedIssues'

/** The loop's own memory: on disk what must survive it, the rest starts empty. */
export function createLoopState(paths: AoPaths): Pick<LoopContext, LoopMemory> {
  return {
    reactions: createReactionStore(paths),
    acting: new Map(),
    releasing: new Map(),
    checkLogs: new Map(),
    refusedIssues: new Map(),
  }
}
