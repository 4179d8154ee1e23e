// What a tick is given beyond the manager and its context.

import type { DayLedger } from '../../contract/budget.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import type { RadarPicture } from '../../contract/dashboard/radar.ts'
import { errorText } from '../../contract/errors.ts'
import type { HandIn } from '../../contract/forges.ts'
import type {
  Fallback,
  MemoryKey,
  ReactionDecision,
  ReactionKey,
  ReactionMemory,
  ReactionRecord,
  ReactionRule,
} from '../../contract/reactions.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import type { OverBudget } from '../../core/budget/find-over-budget.ts'
import type { TrainEventBody } from '../../core/landing/train-state.ts'
import type { Collision } from '../../core/radar/collisions.ts'
import type { PullNews } from '../../core/reactions/pull-news.ts'
import { resolveRules } from '../../core/reactions/resolve-rules.ts'
import type { ManagerContext, ReachedSession } from '../../manager/context.ts'
import type { ObservedSession } from '../../manager/observe/observe-sessions.ts'
import type { SessionManager } from '../../manager/session-manager.ts'
import type { Notification } from '../../slots/notifier.ts'
import type { HealthStatus } from '../../store/observability/snapshot.ts'
import { createReactionStore, type ReactionStore } from '../tick/reaction-memory.ts'

/** What the loop does to sessions. */
export interface LoopManager
  extends Pick<
    SessionManager,
    | 'deliver'
    | 'deliverHeld'
    | 'kill'
    | 'pendingPermissions'
    | 'react'
    | 'recover'
    | 'resumeAgent'
    | 'spawn'
    | 'startDue'
    | 'startReview'
    | 'startTriggered'
    | 'startWaiting'
    | 'switchAccount'
  > {
  /** Stops and restores the agent of a session, recorded in the history as done by `by`. */
  restart(sessionId: string, by: string): Promise<void>
  /** Stops its agent where it is, or ends it where that cannot be or is not wanted; its work is kept. */
  endSpending(sessionId: string, how: { action: 'pause' | 'stop'; why: string }): Promise<void>
}

export interface LoopContext {
  context: ManagerContext
  manager: LoopManager
  /** Queues it durably; the same dedupeKey is notified once. */
  notify(notification: Notification): Promise<void>
  /** One line about what the loop does. */
  say(line: string): void
  /** The health of an external service; only changes are recorded. */
  health(surface: string, status: HealthStatus, reason?: string): void
  /** The effective rules of each project. */
  rules: ReadonlyMap<string, Readonly<Record<ReactionKey, ReactionRule>>>
  /** What was done about reactions and is not repeated. */
  reactions: ReactionStore
  /** Sessions whose decisions are being carried out. */
  acting: Map<string, Promise<void>>
  /** Sessions whose held messages are being delivered. */
  releasing: Map<string, Promise<void>>
  /** Ends of check logs that were already read, by pull request, commit and check. Bounded. */
  checkLogs: Map<string, string>
  /** Backlog issues whose start failed, and when each may be retried. Bounded by what is open. */
  refusedIssues: Map<string, number>
  /** What trackers and forges said about what sessions of each project wait for, and since when that counts. */
  blockerAnswers: Map<string, { since: number; answers: Map<string, Promise<unknown>> }>
  /** What each project has spent today, as written down. */
  ledgers: Map<string, DayLedger>
  /** The places of each project that could not be reached in the last round. */
  lostPlaces: Map<string, ReadonlySet<string>>
  /** The last picture of each project's radar. */
  radar: Map<string, RadarView>
  /** What the loop saw and did is put down here, and taken and written beside the rounds; absent: nobody records it. */
  seen?: Seen[] | undefined
  /** How decisions are carried out, where that is not for real. */
  act?: (loop: LoopContext, request: ActRequest) => Promise<Acted[]>
}

export interface Observation {
  readonly observed: ObservedSession
  readonly status: SessionStatus
  /** What its record says of it then. */
  readonly statusFacts: RecordChange
  /** When time alone may change it; null: only an event can. */
  readonly nextChangeAt: number | null
  /** Its turn ended well without a pull request. */
  readonly isFinished: boolean
  /** When this was found out, and the commit that its workspace is on; null: unknown. */
  readonly at: number
  readonly head: string | null
  /** Its pull requests as the forge has them now, the one that the status is about first; empty: none, or they were not read. */
  readonly pulls: readonly PullNews[]
  /** What was done about reactions, as far as is known now. */
  readonly memory: ReactionMemory
  /** The same as stored on disk. */
  readonly stored: ReactionMemory
  /** An earlier decision was being carried out when the memory was read, so that it may say less than is true by now. */
  readonly isActing: boolean
  /** Reactions that may or may not have been carried out: they wait. */
  readonly undecided: ReadonlySet<MemoryKey>
  /** How this agent hands in its work. */
  readonly handIn: HandIn
  /** Only now do the agent's records show its initial prompt. */
  readonly promptSeen: boolean
}

/** The same, with what the sessions of a project together allow it. */
export interface Judged extends Observation {
  /** The limit that it has reached, and the day; null: it may spend more. undefined: nothing is counted. */
  readonly overBudget: { over: OverBudget; day: string } | null | undefined
  /** The account that it continues with; null: it stays with the present one. */
  readonly fallback: Fallback | null
  /** All that their runtimes lost in this tick, itself included; empty: it was not lost, or it alone. */
  readonly lostTogether: readonly Session[]
  /** Everything is (`ao pause`): nothing is decided until it goes on. */
  readonly isPaused: boolean
}

export interface TickOptions {
  /** Only these sessions: they were reported as changed. */
  only?: ReadonlySet<string> | undefined
  /** false: observe locally only; the slower tick queries the forge. */
  askForge?: boolean | undefined
  /** Record what screens show, for agents without records of their own. */
  readScreens?: boolean | undefined
  /** Do not wait until all decisions are carried out. */
  inBackground?: boolean | undefined
}

export interface ObservedRound {
  now: number
  /** All sessions of the project, observed or not. */
  all: readonly Session[]
  observations: readonly Observation[]
  options: TickOptions
}

export interface ActRequest {
  project: ProjectConfig
  session: Session
  /** The same as the tick reached it. */
  reached: ReachedSession
  lostTogether: readonly Session[]
  pulls: readonly PullNews[]
  decisions: ReactionDecision[]
  memory: ReactionMemory
}

export interface Acted {
  key: MemoryKey
  /** As it was intended. */
  record: ReactionRecord
  succeeded: boolean
  at: number
}

/** What a day is recorded of (`lifecycle/cassette`). */
export type Seen = { project: string } & (
  | ({ kind: 'round'; settled: readonly SessionTick[]; radar: RadarView | undefined } & ObservedRound)
  | { kind: 'acted'; session: string; outcomes: readonly Acted[] }
  /** A notification about the project as a whole. */
  | { kind: 'notice'; type: string; about: string }
  | { kind: 'train'; event: TrainEventBody }
  /** Issues of the backlog that could have been started, and for how many there was room. */
  | { kind: 'backlog'; free: readonly string[]; room: number }
)

export interface RadarView {
  picture: RadarPicture
  /** The collisions each session is to hear of. */
  collisions: ReadonlyMap<string, Collision[]>
}

/** What one tick did to one session, for logs and tests. */
export interface SessionTick {
  session: Session
  changed: boolean
  decisions: ReactionDecision[]
  /** Its screen may change its state before its records do. */
  watchScreen: boolean
  /** When time alone may change its status. */
  nextChangeAt: number | null
}

type LoopMemory =
  | 'rules'
  | 'reactions'
  | 'acting'
  | 'releasing'
  | 'checkLogs'
  | 'refusedIssues'
  | 'blockerAnswers'
  | 'ledgers'
  | 'lostPlaces'
  | 'radar'

/** The loop's memory: on disk what must survive it, the rest starts empty. */
export function createLoopState(context: Pick<ManagerContext, 'config' | 'store'>): Pick<LoopContext, LoopMemory> {
  const { config } = context
  return {
    rules: new Map(Object.values(config.projects).map((project) => [project.id, resolveRules(config, project)])),
    reactions: createReactionStore(context),
    acting: new Map(),
    releasing: new Map(),
    checkLogs: new Map(),
    refusedIssues: new Map(),
    blockerAnswers: new Map(),
    ledgers: new Map(),
    lostPlaces: new Map(),
    radar: new Map(),
  }
}

/** Reported when it changes: an unreadable directory fails every few seconds in the same words. */
export async function ignoreTrouble(
  { loop, project }: { loop: Pick<LoopContext, 'health'>; project: ProjectConfig },
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
    loop.health(`${what} of ${project.id}`, 'ok')
  } catch (error) {
    loop.health(`${what} of ${project.id}`, 'warn', errorText(error))
  }
}
