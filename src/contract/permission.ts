// A question of an agent that a person may answer, as the command line and the dashboard see it.

import type { PermissionInput } from './agh/permission-input.ts'
import type { FileDiff } from './agh/transcript.ts'

export interface PermissionRequest {
  requestId: string
  title: string
  /** What it is about: read, edit, execute … in the agent's terms. */
  kind: string
  options: PermissionChoice[]
  /** ISO 8601 */
  askedAt: string
  /** ISO 8601; after this it is denied. null: it waits indefinitely. */
  expiresAt: string | null
  /** What will be done; absent: the agent sent only its title. */
  input?: PermissionInput | undefined
  /** Not all of it is here: it is too long, or out of sight in the terminal. */
  isCut?: boolean | undefined
  /** What it would change, if the agent says so. */
  diffs?: FileDiff[] | undefined
  /** There are changes, but too large to be included. */
  diffsOmitted?: boolean | undefined
}

export interface PermissionChoice {
  optionId: string
  name: string
  /** null: its meaning is unknown. */
  decision: PermissionDecision | null
}

export const PERMISSION_DECISIONS = ['allow-once', 'allow-always', 'reject-once', 'reject-always'] as const
export type PermissionDecision = (typeof PERMISSION_DECISIONS)[number]

export interface PermissionAnswer {
  /** Absent: the only pending one. */
  requestId?: string | undefined
  /** When the request that was read was asked: a session that was restored may use an id again. */
  askedAt?: string | undefined
  /** One of the two: a decision, or exactly this option of the agent. */
  decision?: PermissionDecision | undefined
  optionId?: string | undefined
  /** Who answers, for the history. */
  by?: string | undefined
}
