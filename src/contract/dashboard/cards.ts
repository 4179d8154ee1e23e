// What the dashboard shows of sessions. The server computes all of it; the page decides nothing about a session.
import type { PermissionRequest } from '../permission.ts'
import type { AgentCost } from '../session.ts'
import type { ActivityState, SessionStatus } from '../status.ts'

/** What a session needs from the human; the board's columns, in this order. */
export const BOARD_COLUMNS = ['needs_you', 'ready_to_merge', 'in_review', 'working', 'done'] as const
export type BoardColumn = (typeof BOARD_COLUMNS)[number]

export interface PullCard {
  url: string
  number: number | null
  title: string | null
  state: 'open' | 'merged' | 'closed'
  ci: 'passing' | 'failing' | 'pending' | 'none' | 'unknown'
  review: 'approved' | 'changes_requested' | 'pending' | 'none' | 'unknown'
  /** null: not known. */
  hasConflicts: boolean | null
  /** The head that was last read; a merge names it. */
  headSha: string | null
}

/** What the person may do now. The server checks again when it is done. */
export interface Abilities {
  send: boolean
  /** End the agent; its workspace stays. */
  kill: boolean
  /** It has ended: take it off the board into the archive (a kill with `purge`). */
  remove: boolean
  restore: boolean
  merge: boolean
  /** How it can be looked at live. */
  view: 'terminal' | 'transcript' | null
}

/** Times are ISO 8601. Texts of agents, issues and forges are untrusted: shown as text, never as markup. */
export interface SessionCard {
  id: string
  projectId: string
  role: 'worker' | 'orchestrator'
  /** The issue's title, else the agent's summary, else the id. */
  title: string
  status: SessionStatus
  activity: ActivityState | null
  column: BoardColumn
  /** Since when it has this status: newest need first. */
  statusSince: string
  /** Why it has this status, in words. */
  evidence: string[]
  agent: string
  runtime: string
  model: string | null
  branch: string | null
  issue: { id: string; url: string | null; title: string | null } | null
  pr: PullCard | null
  createdAt: string
  lastActivityAt: string
  /** A spawn, kill, restore or cleanup under way. */
  operation: string | null
  cost: AgentCost | null
  lastMessage: string | null
  permissions: PermissionRequest[]
  can: Abilities
}

/** A reason to look at something that is not a session: a configuration that is not used, a forge that does not answer. */
export interface Notice {
  id: string
  level: 'warn' | 'error'
  text: string
}

/** The id of the notice that says that the sessions themselves cannot be read. */
export const UNREADABLE_NOTICE = 'reading'

export interface Board {
  sessions: SessionCard[]
  projects: Array<{ id: string; name: string }>
  notices: Notice[]
  /** The loop watches the sessions; false: statuses are as of each reading. */
  loopRunning: boolean
  version: string
}

/** Only what differs. `sessions` holds whole cards of those that changed or are new. */
export interface BoardChange {
  sessions: SessionCard[]
  removed: string[]
  notices?: Notice[]
  projects?: Board['projects']
  loopRunning?: boolean
}
