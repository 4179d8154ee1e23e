// One process's observability snapshot: its shape on disk, and its limits. Types only: a command that records something
// must not pay for a validator.

export const MAX_TRACES = 80
export const MAX_SESSIONS = 200
export const MAX_METRICS = 1_000
export const MAX_SURFACES = 50

/** What ao itself counts. Other names are allowed: plugins may count too. */
export const OBSERVED_OPERATIONS = [
  'spawn',
  'kill',
  'restore',
  'cleanup',
  'claim_pr',
  'send',
  'lifecycle_poll',
  'api_request',
  'sse_connect',
  'sse_disconnect',
  'websocket_connect',
  'websocket_disconnect',
  'websocket_error',
] as const
export type ObservedOperation = (typeof OBSERVED_OPERATIONS)[number] | (string & {})

export type Outcome = 'success' | 'failure'
export type HealthStatus = 'ok' | 'warn' | 'error'

export interface OperationContext {
  projectId: string
  sessionId?: string | undefined
  /** Correlates the records of one request; generated when omitted. */
  correlationId?: string | undefined
}

/** What an operation did. */
export interface Observation extends OperationContext {
  outcome: Outcome
  durationMs?: number | undefined
  reason?: string | undefined
}

export interface Metric {
  total: number
  success: number
  failure: number
  lastAt: string
  lastSuccessAt?: string | undefined
  lastFailureAt?: string | undefined
  lastFailureReason?: string | undefined
}

export interface Trace {
  id: string
  timestamp: string
  component: string
  operation: string
  outcome: Outcome
  correlationId: string
  projectId?: string | undefined
  sessionId?: string | undefined
  durationMs?: number | undefined
  reason?: string | undefined
}

export interface SessionActivity {
  projectId: string
  lastOperation: string
  outcome: Outcome
  timestamp: string
  reason?: string | undefined
}

export interface Health {
  status: HealthStatus
  reason?: string | undefined
  details?: Record<string, unknown> | undefined
  component: string
  updatedAt: string
}

export interface Snapshot {
  version: 1
  component: string
  pid: number
  /** pid, start time and boot: a pid alone may belong to another process by now. */
  process: string
  startedAt: string
  updatedAt: string
  /** Keyed `{projectId}::{operation}`. */
  metrics: Record<string, Metric>
  traces: Trace[]
  sessions: Record<string, SessionActivity>
  health: Record<string, Health>
}
