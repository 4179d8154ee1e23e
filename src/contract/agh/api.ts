// What the API of agh takes and gives.
import * as z from 'zod/mini'
import type { PendingPermission, SessionHealth, SessionMeta } from './session-meta.ts'
import { DECISIONS, PERMISSION_MODES } from './words.ts'

export const createSessionSchema = z
  .strictObject({
    agent_name: z.optional(z.string()),
    name: z.optional(z.string().check(z.maxLength(200))),
    workspace: z.optional(z.string()),
    workspace_path: z.optional(z.string()),
    /** The others come to be in their own ways. */
    type: z.optional(z.enum(['user', 'dream', 'system'])),
  })
  .check(
    z.refine(
      ({ workspace, workspace_path }) => (workspace === undefined) !== (workspace_path === undefined),
      'exactly one of workspace and workspace_path is needed',
    ),
  )
export type CreateSessionRequest = z.infer<typeof createSessionSchema>

/** More than a person types, and well below what one line to an agent may hold. */
const MAX_MESSAGE = 4 * 1024 * 1024

export const promptSchema = z.strictObject({
  message: z.string().check(z.minLength(1), z.maxLength(MAX_MESSAGE)),
  /** Wait for the turn that runs, instead of being refused. */
  queue: z._default(z.boolean(), false),
})

const MAX_TTL_SECONDS = 24 * 60 * 60

export const spawnSchema = z.strictObject({
  agent_name: z.optional(z.string()),
  name: z.optional(z.string().check(z.maxLength(200))),
  role: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  ttl_seconds: z.int().check(z.minimum(1), z.maximum(MAX_TTL_SECONDS)),
  permissions: z.optional(z.enum(PERMISSION_MODES)),
})
export type SpawnRequest = z.infer<typeof spawnSchema>

export const stopSchema = z.strictObject({ detail: z.optional(z.string().check(z.maxLength(2_000))) })

export const approveSchema = z
  .strictObject({
    request_id: z.optional(z.string()),
    decision: z.optional(z.enum(DECISIONS)),
    /** Instead of a decision: exactly this option of the agent. */
    option_id: z.optional(z.string()),
  })
  .check(
    z.refine(
      ({ decision, option_id }) => (decision === undefined) !== (option_id === undefined),
      'exactly one of decision and option_id is needed',
    ),
  )
export type ApproveRequest = z.infer<typeof approveSchema>

export interface SessionView extends SessionMeta {
  health: SessionHealth
  pending_permissions: PendingPermission[]
}

export interface RepairReport {
  session_id: string
  issues: RepairIssue[]
  actions: RepairAction[]
  /** false: nothing was written, because nothing was to do or because it was only a look. */
  persisted: boolean
}

export interface RepairIssue {
  code: string
  severity: 'info' | 'warning' | 'error'
  turn_id?: string
  detail: string
}

export interface RepairAction {
  code: 'append_interrupted_tool_result' | 'append_terminal_error'
  turn_id: string
  tool_call_id?: string
}

export interface DaemonStatus {
  status: 'running'
  pid: number
  version: string
  started_at: string
  socket: string
  http: string
  active_sessions: number
  total_sessions: number
}
