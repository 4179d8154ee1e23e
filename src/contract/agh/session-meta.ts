// `meta.json`: what is known of a session without opening its history.
import * as z from 'zod/mini'
import { FAILURE_KINDS, PERMISSION_MODES, SESSION_STATES, SESSION_TYPES, STOP_REASONS } from './words.ts'

const failureSchema = z.object({
  kind: z.enum(FAILURE_KINDS),
  summary: z.string(),
  crash_bundle_path: z.optional(z.string()),
})
export type SessionFailure = z.infer<typeof failureSchema>

const activitySchema = z.object({
  turn_id: z.string(),
  turn_source: z.string(),
  turn_started_at: z.string(),
  last_activity_at: z.string(),
  last_activity_kind: z.string(),
  last_activity_detail: z.string(),
  current_tool: z.nullable(z.string()),
  tool_call_id: z.nullable(z.string()),
  last_progress_at: z.nullable(z.string()),
  idle_seconds: z.number(),
  elapsed_seconds: z.number(),
})
export type Activity = z.infer<typeof activitySchema>

const lineageSchema = z.object({
  parent_session_id: z.nullable(z.string()),
  root_session_id: z.string(),
  spawn_depth: z.number(),
  spawn_role: z.nullable(z.string()),
  ttl_expires_at: z.nullable(z.string()),
})
export type Lineage = z.infer<typeof lineageSchema>

/** How the ACP session of this run came to be. `new_with_recap`: a new one that was told what went before. */
const START_METHODS = ['new', 'load', 'resume', 'new_with_recap'] as const
export type StartMethod = (typeof START_METHODS)[number]

const processSchema = z.object({
  /** `pid:start:boot`, see lib/process-identity.ts. null: it was about to be started. */
  identity: z.nullable(z.string()),
  /** Every process of the agent carries it in its environment. */
  spawn_id: z.string(),
  command: z.array(z.string()),
  started_at: z.string(),
})

export const sessionMetaSchema = z.object({
  schema: z.literal('agh.session.v1'),
  id: z.string(),
  name: z.nullable(z.string()),
  agent_name: z.string(),
  type: z.enum(SESSION_TYPES),
  workspace_id: z.nullable(z.string()),
  workspace_path: z.string(),
  permissions: z.enum(PERMISSION_MODES),
  state: z.enum(SESSION_STATES),
  stop_reason: z.nullable(z.enum(STOP_REASONS)),
  stop_detail: z.nullable(z.string()),
  failure: z.nullable(failureSchema),
  acp_session_id: z.nullable(z.string()),
  started_with: z.nullable(z.enum(START_METHODS)),
  process: z.nullable(processSchema),
  activity: z.nullable(activitySchema),
  lineage: lineageSchema,
  /** A floor for the next event's number, should the history be lost. */
  last_sequence: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type SessionMeta = z.infer<typeof sessionMetaSchema>

export const HEALTH_STATES = ['idle', 'prompting', 'detached', 'stopped'] as const
export const HEALTH_VALUES = ['healthy', 'degraded', 'unknown', 'dead'] as const

export interface SessionHealth {
  session_id: string
  state: (typeof HEALTH_STATES)[number]
  health: (typeof HEALTH_VALUES)[number]
  attachable: boolean
  eligible_for_wake: boolean
  ineligibility_reason: string | null
  last_activity_at: string | null
}

/** A question of the agent that a person may answer. */
export interface PendingPermission {
  request_id: string
  turn_id: string | null
  title: string
  kind: string
  options: Array<{ option_id: string; name: string; decision: string }>
  asked_at: string
  expires_at: string
}
