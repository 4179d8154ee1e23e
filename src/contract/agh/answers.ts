// The responses of agh's API: each shape once, as a schema; the types come from it.
import * as z from 'zod/mini'
import { EVENT_TYPES, type SessionEvent } from './events.ts'
import {
  activitySchema,
  chosenSettingsSchema,
  failureSchema,
  healthSchema,
  offersSchema,
  permissionSchema,
  sessionMetaSchema,
} from './session-meta.ts'
import { PERMISSION_MODES, SESSION_STATES } from './session-terms.ts'
import { taskSchema } from './task.ts'
import type { TranscriptMessage } from './transcript.ts'

export const SessionAnswer = z.extend(sessionMetaSchema, {
  health: healthSchema,
  /** The settings its agent offers; null while it is not running. */
  offers: z.nullable(offersSchema),
  pending_permissions: z.array(permissionSchema),
})
export type SessionView = z.infer<typeof SessionAnswer>

/** A session whose metadata is missing or unreadable. */
const damagedSession = z.object({ session_id: z.string(), problem: z.string() })
export type DamagedSession = z.infer<typeof damagedSession>

export const sessionList = z.object({ sessions: z.array(SessionAnswer), damaged: z.array(damagedSession) })

export const oneSession = z.object({ session: SessionAnswer })

const event = z.object({
  sequence: z.int(),
  session_id: z.string(),
  turn_id: z.nullable(z.string()),
  type: z.enum(EVENT_TYPES),
  timestamp: z.string(),
  content: z.record(z.string(), z.unknown()),
})
/** The description covers what all events have; what each type contains is in events.ts. */
export const EventAnswer = event as unknown as z.ZodMiniType<SessionEvent>

/** Only the fields that all messages have are described; each role has more, see transcript.ts. */
const message = z.looseObject({
  id: z.string(),
  role: z.string(),
  sequence: z.int(),
  last_sequence: z.int(),
  turn_id: z.nullable(z.string()),
  timestamp: z.string(),
  text: z.string(),
})
export const MessageAnswer = message as unknown as z.ZodMiniType<TranscriptMessage>

export const QueuedPromptAnswer = z.object({
  /** The turn that it will be, or the id of a driver's message. */
  id: z.string(),
  text: z.string(),
  source: z.string(),
  queued_at: z.string(),
  /** false: the run of a task, which is neither edited nor withdrawn here. */
  changeable: z.boolean(),
})
export type QueuedPromptView = z.infer<typeof QueuedPromptAnswer>

export const rulesAnswer = z.object({
  session_id: z.string(),
  /** `id`: of the question that was answered with always. */
  rules: z.array(z.object({ id: z.string(), rule: z.string() })),
})

export const conversationsAnswer = z.object({
  /** Of the session whose agent was asked. */
  session_id: z.string(),
  conversations: z.array(
    z.object({
      /** The agent's own. */
      id: z.string(),
      cwd: z.nullable(z.string()),
      title: z.nullable(z.string()),
      updated_at: z.nullable(z.string()),
      /** The session here that has it; null: none. */
      session_id: z.nullable(z.string()),
    }),
  ),
  /** The agent has more than are listed. */
  truncated: z.boolean(),
})
export type ConversationList = z.infer<typeof conversationsAnswer>

export const retryAnswer = z.object({ session_id: z.string(), turn_id: z.string(), retries: z.string() })

export const queueAnswer = z.object({ session_id: z.string(), queue: z.array(QueuedPromptAnswer) })

const repairIssue = z.object({
  code: z.string(),
  severity: z.enum(['info', 'warning', 'error']),
  turn_id: z.optional(z.string()),
  detail: z.string(),
})
export type RepairIssue = z.infer<typeof repairIssue>

const repairAction = z.object({
  code: z.enum(['append_interrupted_tool_result', 'append_terminal_error', 'append_undelivered_prompt']),
  turn_id: z.string(),
  tool_call_id: z.optional(z.string()),
})
export type RepairAction = z.infer<typeof repairAction>

export const RepairAnswer = z.object({
  session_id: z.string(),
  issues: z.array(repairIssue),
  actions: z.array(repairAction),
  /** false: nothing was written, because there was nothing to do or because it was a dry run. */
  persisted: z.boolean(),
})
export type RepairReport = z.infer<typeof RepairAnswer>

export const AgentAnswer = z.object({
  name: z.string(),
  /** found: a known agent on the PATH without a definition; demo: there is none. Both only for `general`. */
  source: z.enum(['file', 'found', 'demo']),
  file: z.nullable(z.string()),
  command: z.array(z.string()),
  permissions: z.nullable(z.enum(PERMISSION_MODES)),
  settings: chosenSettingsSchema,
  mcp_servers: z.array(z.string()),
  has_instructions: z.boolean(),
  has_heartbeat: z.boolean(),
  /** Why its HEARTBEAT.md wakes nothing; null when it is valid or missing. */
  heartbeat_problem: z.nullable(z.string()),
  /** Why its sessions cannot start; null when they can. */
  problem: z.nullable(z.string()),
})
export type AgentView = z.infer<typeof AgentAnswer>

export const WorkspaceAnswer = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  /** Additional directories that its sessions may work in. */
  additional_directories: z.optional(z.array(z.string())),
})
export type Workspace = z.infer<typeof WorkspaceAnswer>

export const oneWorkspace = z.object({ workspace: WorkspaceAnswer })

const loopDelay = z.object({
  /** End of the window. */
  measured_at: z.string(),
  window_seconds: z.number(),
  p50_ms: z.number(),
  p99_ms: z.number(),
  max_ms: z.number(),
})
/** How long the daemon's event loop was blocked, over one window. */
export type LoopDelay = z.infer<typeof loopDelay>

export const DaemonAnswer = z.object({
  /**
   * starting: requests wait until the sessions of the daemon before are continued or repaired. stopping: it ends its
   * sessions. leaving: it ends without its agents, and acts on no request.
   */
  status: z.enum(['starting', 'running', 'stopping', 'leaving']),
  pid: z.int(),
  /** What it can do; an older daemon has a smaller one, or none. */
  protocol: z.int(),
  version: z.string(),
  started_at: z.string(),
  socket: z.string(),
  /** null: only the socket is open, see `http_problem`. */
  http: z.nullable(z.string()),
  http_problem: z.nullable(z.string()),
  /** Sessions that are not continued or repaired yet. */
  repairs_left: z.int(),
  active_sessions: z.int(),
  total_sessions: z.int(),
  /** Of the daemon alone, without its agents. */
  memory_bytes: z.int(),
  /** null: no session has been live for a whole window yet. */
  event_loop_delay: z.nullable(loopDelay),
})
export type DaemonStatus = z.infer<typeof DaemonAnswer>

export const UsageAnswer = z.object({
  turn_id: z.string(),
  /** As the agent reports it. */
  usage: z.record(z.string(), z.unknown()),
  timestamp: z.string(),
})
export type TurnUsage = z.infer<typeof UsageAnswer>

export const HookRunAnswer = z.object({
  number: z.int(),
  event: z.string(),
  command: z.string(),
  required: z.boolean(),
  outcome: z.string(),
  /** What it printed, or why it could not run. */
  detail: z.string(),
  duration_ms: z.int(),
  timestamp: z.string(),
})
export type HookRunView = z.infer<typeof HookRunAnswer>

export const ObserveAnswer = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.nullable(z.string()),
  active_sessions: z.int(),
  total_sessions: z.int(),
  sessions: z.array(
    z.extend(healthSchema, { activity: z.nullable(activitySchema), pending_permissions: z.array(permissionSchema) }),
  ),
  /** Sessions that are tried again: their hosts do not answer, or the disk is full. */
  postponed: z.optional(z.array(z.string())),
  damaged: z.array(damagedSession),
  failures: z.array(
    z.object({
      session_id: z.string(),
      agent_name: z.string(),
      state: z.enum(SESSION_STATES),
      failure: failureSchema,
      updated_at: z.string(),
    }),
  ),
})
export type Observed = z.infer<typeof ObserveAnswer>

export const TrimAnswer = z.object({
  session_id: z.string(),
  /** 0: nothing was to be dropped. Of all trims so far; the rest is of this one. */
  dropped_events: z.number(),
  /** That went along with prompts among them. */
  dropped_files: z.number(),
  /** Of both. */
  dropped_bytes: z.number(),
})
export type TrimReport = z.infer<typeof TrimAnswer>

/** Under these names in the description. */
export const ANSWERS = {
  Session: SessionAnswer,
  Health: healthSchema,
  PendingPermission: permissionSchema,
  Event: EventAnswer,
  Message: MessageAnswer,
  QueuedPrompt: QueuedPromptAnswer,
  Repair: RepairAnswer,
  Trim: TrimAnswer,
  Agent: AgentAnswer,
  Workspace: WorkspaceAnswer,
  Task: taskSchema,
}
