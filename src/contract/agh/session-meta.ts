// `meta.json`: what is known of a session without opening its event log.
import * as z from 'zod/mini'
import { permissionInputSchema } from './permission-input.ts'
import { FAILURE_KINDS, PERMISSION_MODES, SESSION_STATES, SESSION_TYPES, STOP_REASONS } from './session-terms.ts'

export const failureSchema = z.object({
  kind: z.enum(FAILURE_KINDS),
  summary: z.string(),
  crash_bundle_path: z.optional(z.string()),
})
export type SessionFailure = z.infer<typeof failureSchema>

export const activitySchema = z.object({
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

/**
 * How the ACP session of this run was created. `new_with_recap`: a new one that got a recap of the earlier conversation. `fork`: as a
 * copy of another session's.
 */
const START_METHODS = ['new', 'load', 'resume', 'new_with_recap', 'fork'] as const
export type StartMethod = (typeof START_METHODS)[number]

/** What an agent can do with the conversations that it keeps, beyond continuing one: methods of ACP, each advertised on its own. */
export const CONVERSATION_METHODS = ['fork', 'list', 'close', 'delete'] as const
export type ConversationMethod = (typeof CONVERSATION_METHODS)[number]

const PREFACE_KINDS = ['instructions', 'recap', 'fork'] as const
export type PrefaceKind = (typeof PREFACE_KINDS)[number]

export const chosenSettingsSchema = z.object({
  mode: z.optional(z.string()),
  model: z.optional(z.string()),
  /** Other options of the agent, by their ids. */
  options: z.optional(z.record(z.string(), z.string())),
})
/** The chosen settings; chosen again when the session is resumed. */
export type SessionSettings = z.infer<typeof chosenSettingsSchema>

const processSchema = z.object({
  /** `pid:start:boot`, see lib/process/process-identity.ts. null: it was about to be started. */
  identity: z.nullable(z.string()),
  /** Every process of the agent carries it in its environment. */
  spawn_id: z.string(),
  command: z.array(z.string()),
  started_at: z.string(),
  /** Only of an agent that its driver started elsewhere: what is known of its host, see host/elsewhere.ts. */
  host_directory: z.optional(z.string()),
})

/** A session that another program runs here: its name for it, and the marker of its newest start. */
const driverSchema = z.object({ name: z.string(), key: z.string(), spawn_id: z.string() })

const tokensSchema = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
})

const digestSchema = z.object({
  first_prompt: z.nullable(z.string()),
  last_message: z.nullable(z.string()),
  /** The turn of `last_message`. */
  last_turn_id: z.nullable(z.string()),
  last_event_at: z.nullable(z.string()),
  last_turn_failed: z.boolean(),
  /** Why it failed, in the agent's own words. */
  last_error: z.optional(z.nullable(z.string())),
  /** A request that nobody answered in time, since the last prompt. */
  expired: z.optional(z.nullable(z.object({ text: z.string(), at: z.string() }))),
  /** null: the agent never reported it. */
  tokens: z.nullable(tokensSchema),
  cost: z.nullable(z.object({ earlier_usd: z.number(), current_usd: z.number() })),
})
/** For driven sessions: what their driver wants to know without reading event logs. */
export type SessionDigest = z.infer<typeof digestSchema>

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
  /** As its agent advertised it at its newest start; absent: it was never asked. */
  agent_can: z.optional(z.array(z.enum(CONVERSATION_METHODS))),
  /** Its conversation is to begin as a copy of this one, which had this many events; without an ACP session it has not begun yet. */
  forked_from: z.optional(z.object({ session_id: z.string(), acp_session_id: z.string(), last_sequence: z.number() })),
  /** deleting: the agent was to be asked to delete it, and may have. deleted: it confirmed that. Until the next start. */
  conversation: z.optional(z.enum(['deleting', 'deleted'])),
  process: z.nullable(processSchema),
  activity: z.nullable(activitySchema),
  lineage: lineageSchema,
  /** A lower bound for the next event's number, in case the log is lost. */
  last_sequence: z.number(),
  /** Up to here a repair found every turn with its end, or added it. */
  checked_sequence: z.optional(z.number()),
  /** Additional directories that the agent may work in. */
  additional_directories: z.optional(z.array(z.string())),
  settings: z.optional(chosenSettingsSchema),
  /** What the next prompt must carry, see core/agh/session/preface.ts. */
  preface: z.optional(z.array(z.enum(PREFACE_KINDS))),
  last_wake_at: z.optional(z.string()),
  /** When the previous turn showed its last sign of life. */
  last_activity_at: z.optional(z.string()),
  driver: z.optional(driverSchema),
  digest: z.optional(digestSchema),
  /** How the agent's process ended, once it has. */
  exit: z.optional(z.nullable(z.object({ code: z.nullable(z.number()), signal: z.nullable(z.string()) }))),
  /** Left running by the stop: it may have come from the agent, but nothing proves it. */
  left_running: z.optional(z.array(z.object({ pid: z.number(), command: z.string() }))),
  created_at: z.string(),
  updated_at: z.string(),
})
export type SessionMeta = z.infer<typeof sessionMetaSchema>

const HEALTH_STATES = ['idle', 'prompting', 'detached', 'stopped'] as const
const HEALTH_VALUES = ['healthy', 'degraded', 'unknown', 'dead'] as const

export const healthSchema = z.object({
  session_id: z.string(),
  state: z.enum(HEALTH_STATES),
  health: z.enum(HEALTH_VALUES),
  attachable: z.boolean(),
  eligible_for_wake: z.boolean(),
  ineligibility_reason: z.nullable(z.string()),
  last_activity_at: z.nullable(z.string()),
})
export type SessionHealth = z.infer<typeof healthSchema>

const fileDiffSchema = z.object({
  path: z.string(),
  /** null: the file is new. */
  old_text: z.nullable(z.string()),
  new_text: z.string(),
})

export const permissionSchema = z.object({
  request_id: z.string(),
  turn_id: z.nullable(z.string()),
  title: z.string(),
  kind: z.string(),
  options: z.array(z.object({ option_id: z.string(), name: z.string(), decision: z.string() })),
  asked_at: z.string(),
  expires_at: z.string(),
  /** What it would run, read or call; absent: the agent did not say. */
  input: z.optional(permissionInputSchema),
  /** The input is longer than what is here. */
  input_cut: z.optional(z.boolean()),
  /** What it would change; absent: the agent did not say. */
  diffs: z.optional(z.array(fileDiffSchema)),
  /** There are changes, but too large for every response: they are in the transcript. */
  diffs_omitted: z.optional(z.boolean()),
})
/** A question of the agent that a person may answer. */
export type PendingPermission = z.infer<typeof permissionSchema>

const offeredValue = z.object({ id: z.string(), name: z.string() })

const offeredOption = z.object({
  id: z.string(),
  name: z.string(),
  /** mode, model, thought_level … */
  category: z.nullable(z.string()),
  type: z.enum(['select', 'boolean']),
  current: z.string(),
  values: z.array(offeredValue),
})
export type OfferedOption = z.infer<typeof offeredOption>

export const offersSchema = z.object({
  current_mode: z.nullable(z.string()),
  modes: z.array(offeredValue),
  options: z.array(offeredOption),
})
/** The settings the agent offers. */
export type AgentOffers = z.infer<typeof offersSchema>
