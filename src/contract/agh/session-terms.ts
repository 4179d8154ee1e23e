// The words of an agh session: its states, why it stopped, what failed, what it is for, what it may do.

export const SESSION_STATES = ['starting', 'active', 'stopping', 'stopped'] as const
export type SessionState = (typeof SESSION_STATES)[number]

export const STOP_REASONS = [
  'completed',
  'user_canceled',
  'max_iterations',
  'loop_detected',
  'budget_exceeded',
  'timeout',
  'error',
  'agent_crashed',
  'hook_stopped',
  'shutdown',
] as const
export type StopReason = (typeof STOP_REASONS)[number]

export const FAILURE_KINDS = [
  'startup_failure',
  'handshake_failure',
  'load_session_failure',
  'protocol_failure',
  'prompt_failure',
  'cancellation',
  'permission_failure',
  'process_exit',
  'transport_failure',
  'timeout',
  'unknown_failure',
] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

export const SESSION_TYPES = ['user', 'dream', 'system', 'coordinator', 'spawned'] as const
export type SessionType = (typeof SESSION_TYPES)[number]

/** From the narrowest to the widest. */
export const PERMISSION_MODES = ['deny-all', 'approve-reads', 'approve-edits', 'approve-all'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

export const DECISIONS = ['allow-once', 'allow-always', 'reject-once', 'reject-always'] as const
export type Decision = (typeof DECISIONS)[number]

/** Who requested a turn: a person or a client, agh itself, a HEARTBEAT.md, a task. */
export type TurnSource = 'user' | 'system' | 'heartbeat' | 'task'

/** Why a turn was cancelled. */
export type CancelReason = 'user' | 'inactivity' | 'stop'

/** Who decided about the agent's question. */
export type DecidedBy = 'policy' | 'user' | 'expired' | 'turn_cancelled'
