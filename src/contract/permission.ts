// A question of an agent that a person may answer, as the command line and the dashboard see it.

import type { FileDiff } from './agh/transcript.ts'

export interface PermissionRequest {
  requestId: string
  title: string
  /** What it is about: read, edit, execute … as the agent calls it. */
  kind: string
  options: PermissionChoice[]
  /** ISO 8601 */
  askedAt: string
  /** ISO 8601; after this it is answered with no. null: it waits as long as it takes. */
  expiresAt: string | null
  /** What it would change, where the agent says so. */
  diffs?: FileDiff[] | undefined
  /** There are changes, and they are too large to be sent along. */
  diffsOmitted?: boolean | undefined
}

export interface PermissionChoice {
  optionId: string
  name: string
  /** null: what it means is not known. */
  decision: PermissionDecision | null
}

export const PERMISSION_DECISIONS = ['allow-once', 'allow-always', 'reject-once', 'reject-always'] as const
export type PermissionDecision = (typeof PERMISSION_DECISIONS)[number]

export interface PermissionAnswer {
  /** Absent: the only one that waits. */
  requestId?: string | undefined
  /** One of the two: what is decided, or exactly this option of the agent. */
  decision?: PermissionDecision | undefined
  optionId?: string | undefined
}
