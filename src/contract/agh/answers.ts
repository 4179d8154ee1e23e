// What the API answers, as schemas, for its description. The types beside them are what the code uses; tsc compares them.
import * as z from 'zod/mini'
import type { AgentView, DaemonStatus, HookRunView, RepairReport, SessionView, TurnUsage } from './api.ts'
import { EVENT_TYPES, type SessionEvent } from './events.ts'
import { WAKE_RESULTS, type WakeReport } from './heartbeat.ts'
import {
  HEALTH_STATES,
  HEALTH_VALUES,
  type PendingPermission,
  type SessionHealth,
  sessionMetaSchema,
} from './session-meta.ts'
import { taskSchema } from './task.ts'
import { PERMISSION_MODES } from './words.ts'

/** A schema of exactly this type. */
const schemaOf =
  <T>() =>
  <S extends z.ZodMiniType<T>>(schema: S): S =>
    schema

const value = z.object({ id: z.string(), name: z.string() })

export const HealthAnswer = schemaOf<SessionHealth>()(
  z.object({
    session_id: z.string(),
    state: z.enum(HEALTH_STATES),
    health: z.enum(HEALTH_VALUES),
    attachable: z.boolean(),
    eligible_for_wake: z.boolean(),
    ineligibility_reason: z.nullable(z.string()),
    last_activity_at: z.nullable(z.string()),
  }),
)

const PermissionAnswer = schemaOf<PendingPermission>()(
  z.object({
    request_id: z.string(),
    turn_id: z.nullable(z.string()),
    title: z.string(),
    kind: z.string(),
    options: z.array(z.object({ option_id: z.string(), name: z.string(), decision: z.string() })),
    asked_at: z.string(),
    expires_at: z.string(),
  }),
)

const offers = z.object({
  current_mode: z.nullable(z.string()),
  modes: z.array(value),
  options: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      category: z.nullable(z.string()),
      type: z.enum(['select', 'boolean']),
      current: z.string(),
      values: z.array(value),
    }),
  ),
})

export const SessionAnswer = schemaOf<SessionView>()(
  z.extend(sessionMetaSchema, {
    health: HealthAnswer,
    offers: z.nullable(offers),
    pending_permissions: z.array(PermissionAnswer),
  }),
)

export const oneSession = z.object({ session: SessionAnswer })

export const EventAnswer = schemaOf<SessionEvent>()(
  z.object({
    sequence: z.int(),
    session_id: z.string(),
    turn_id: z.nullable(z.string()),
    type: z.enum(EVENT_TYPES),
    timestamp: z.string(),
    content: z.record(z.string(), z.unknown()),
  }),
)

/** The fields that all messages have; each role has more. */
export const MessageAnswer = z.looseObject({
  id: z.string(),
  role: z.string(),
  sequence: z.int(),
  last_sequence: z.int(),
  turn_id: z.nullable(z.string()),
  timestamp: z.string(),
  text: z.string(),
})

export const RepairAnswer = schemaOf<RepairReport>()(
  z.object({
    session_id: z.string(),
    issues: z.array(
      z.object({
        code: z.string(),
        severity: z.enum(['info', 'warning', 'error']),
        turn_id: z.optional(z.string()),
        detail: z.string(),
      }),
    ),
    actions: z.array(
      z.object({
        code: z.enum(['append_interrupted_tool_result', 'append_terminal_error']),
        turn_id: z.string(),
        tool_call_id: z.optional(z.string()),
      }),
    ),
    persisted: z.boolean(),
  }),
)

export const AgentAnswer = schemaOf<AgentView>()(
  z.object({
    name: z.string(),
    source: z.enum(['file', 'found', 'demo']),
    file: z.nullable(z.string()),
    command: z.array(z.string()),
    permissions: z.nullable(z.enum(PERMISSION_MODES)),
    settings: z.object({
      mode: z.optional(z.string()),
      model: z.optional(z.string()),
      options: z.optional(z.record(z.string(), z.string())),
    }),
    mcp_servers: z.array(z.string()),
    has_instructions: z.boolean(),
    has_heartbeat: z.boolean(),
    problem: z.nullable(z.string()),
  }),
)

export const WorkspaceAnswer = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  additional_directories: z.optional(z.array(z.string())),
})

export const oneWorkspace = z.object({ workspace: WorkspaceAnswer })

export const DaemonAnswer = schemaOf<DaemonStatus>()(
  z.object({
    status: z.literal('running'),
    pid: z.int(),
    version: z.string(),
    started_at: z.string(),
    socket: z.string(),
    http: z.string(),
    active_sessions: z.int(),
    total_sessions: z.int(),
    memory_bytes: z.int(),
    event_loop_delay: z.nullable(
      z.object({
        measured_at: z.string(),
        window_seconds: z.number(),
        p50_ms: z.number(),
        p99_ms: z.number(),
        max_ms: z.number(),
      }),
    ),
  }),
)

export const WakeAnswer = schemaOf<WakeReport>()(
  z.object({ session_id: z.string(), result: z.enum(WAKE_RESULTS), reason: z.string() }),
)

export const UsageAnswer = schemaOf<TurnUsage>()(
  z.object({ turn_id: z.string(), usage: z.record(z.string(), z.unknown()), timestamp: z.string() }),
)

export const HookRunAnswer = schemaOf<HookRunView>()(
  z.object({
    number: z.int(),
    event: z.string(),
    command: z.string(),
    required: z.boolean(),
    outcome: z.string(),
    detail: z.string(),
    duration_ms: z.int(),
    timestamp: z.string(),
  }),
)

export const ObserveAnswer = z.looseObject({
  status: z.enum(['ok', 'degraded']),
  active_sessions: z.int(),
  total_sessions: z.int(),
  sessions: z.array(z.looseObject({ session_id: z.string(), health: z.enum(HEALTH_VALUES) })),
  failures: z.array(z.looseObject({ session_id: z.string(), state: z.string() })),
})

/** Under these names in the description. */
export const ANSWERS = {
  Session: SessionAnswer,
  Health: HealthAnswer,
  PendingPermission: PermissionAnswer,
  Event: EventAnswer,
  Message: MessageAnswer,
  Repair: RepairAnswer,
  Agent: AgentAnswer,
  Workspace: WorkspaceAnswer,
  Task: taskSchema,
}
