// What the loop does on its own when something happens to a session, and its memory of having done it.

import type { AccountLimit } from './account.ts'
import type { REACTION_KEYS } from './config/reaction-keys.ts'

export type ReactionKey = (typeof REACTION_KEYS)[number]
/** What was done is remembered by key, and for a pull request that is not the session's first also by its URL. */
export type MemoryKey = ReactionKey | `${ReactionKey} ${string}`
/** `pause` and `stop` are those of a budget, `switch-account` that of a limit, `review` starts a reviewer: they say themselves what happens. */
export type ReactionAction =
  | 'send-to-agent'
  | 'notify'
  | 'auto-merge'
  | 'restart-agent'
  | 'pause'
  | 'stop'
  | 'switch-account'
  | 'review'
export type Priority = 'urgent' | 'action' | 'warning' | 'info'

/** A complete rule: defaults, then the global configuration, then the project's, key by key. */
export interface ReactionRule {
  auto: boolean
  action: ReactionAction
  /** Replaces the generated text; undefined: the generated one. */
  message: string | undefined
  priority: Priority
  /** How many times an agent is asked or restarted before a person is notified. undefined: as often as there is something new. */
  retries: number | undefined
  /** After this many attempts, or this long after the first, a person is notified. undefined: never. */
  escalateAfterAttempts: number | undefined
  escalateAfterMs: number | undefined
  /** How long the condition must last before it counts. */
  thresholdMs: number
}

/** The account that a session continues with, because the present one is limited. */
export interface Fallback {
  /** null: the one that it began with. */
  account: string | null
  /** For people: `codex`, `claude-code with the account work2`. */
  name: string
  /** Of the present account; null: the switch was begun before, and this is known already. */
  limit: AccountLimit | null
  why: string
}

/** Something that calls for a reaction. The fingerprint identifies its subject: the same one is never acted on twice. */
export interface Condition {
  key: ReactionKey
  memory: MemoryKey
  /** The pull request that it is about. */
  pull?: string
  fingerprint: string
  /** Since when it holds; null: the facts do not say, and it counts from when it was first seen. */
  since: number | null
  /** The full message to the agent, or to a person. */
  message: string
  /** One line for notifications and `ao why`. */
  summary: string
  /** For auto-merge: the commit that was checked and approved. */
  headSha?: string
  /** What is done about it, whatever the rule says. */
  action?: ReactionAction
  /** For switch-account: with what it continues. */
  fallback?: Fallback
}

/** What was done about one key of one session. Stored, so that a restart neither forgets nor repeats it. */
export interface ReactionRecord {
  fingerprint: string
  /**
   * How often it was acted on since the condition first held; survives new fingerprints until it is resolved. For what the
   * agent itself does or fails to do: until the work has moved.
   */
  attempts: number
  firstAt: number
  lastAt: number
  /**
   * intended: written before acting. done: the act succeeded. failed: it did not, and is retried. dropped: the occasion was
   * over before the act succeeded.
   */
  state: 'intended' | 'done' | 'failed' | 'dropped'
  /** What the act was; absent in records of earlier versions. */
  action?: ReactionAction | undefined
  /** When a failed one may be retried. */
  retryAt: number
  escalated: boolean
  /** The current act notifies the person: `escalated` once it succeeded. */
  escalating?: boolean | undefined
  /** Consecutive failures of the current act. */
  failures?: number | undefined
  /** The fingerprint of the last act that succeeded, whoever was notified. */
  told: string
  /** The same for acts that reached the agent; absent in records of earlier versions, which count as `told`. */
  heard?: string | undefined
  /** The state of the work when counting began. */
  progress?: WorkProgress | undefined
  /** Since when something waits for its threshold, where only the loop can know it. */
  waitingSince?: number | undefined
  /** Its cause was gone for a while, and nothing proved that it is over. */
  lapsed?: boolean | undefined
}

/** Signs that the work moves. What is unknown is absent. */
export interface WorkProgress {
  /** The commit that the workspace is on. */
  head?: string
  /** The pull request, its commit and the forge's verdicts; '' while there is none. */
  pr?: string
  /** When a person last sent a message or restored the session. */
  attendedAt?: string
}

export type ReactionMemory = Partial<Record<MemoryKey, ReactionRecord>>

export type ReactionDecision =
  | { kind: 'act'; action: ReactionAction; condition: Condition; rule: ReactionRule; attempt: number }
  /** The agent was asked often or long enough: now a person is notified, once. */
  | { kind: 'escalate'; condition: Condition; rule: ReactionRule; reason: string }

/** The first time of a condition and the attempt number: no two intents of a reaction share both. */
export function intentOf({ firstAt, attempts }: ReactionRecord): string {
  return `${firstAt}:${attempts}`
}
