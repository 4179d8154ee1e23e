// One process's observability snapshot: its shape on disk, and its limits.
import * as z from 'zod/mini'

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

const outcome = z.enum(['success', 'failure'])
export type Outcome = z.infer<typeof outcome>

const healthStatus = z.enum(['ok', 'warn', 'error'])
export type HealthStatus = z.infer<typeof healthStatus>

const metricSchema = z.object({
  total: z.number(),
  success: z.number(),
  failure: z.number(),
  lastAt: z.string(),
  lastSuccessAt: z.optional(z.string()),
  lastFailureAt: z.optional(z.string()),
  lastFailureReason: z.optional(z.string()),
})
export type Metric = z.infer<typeof metricSchema>

const traceSchema = z.object({
  id: z.string(),
  timestamp: z.string(),
  component: z.string(),
  operation: z.string(),
  outcome,
  correlationId: z.string(),
  projectId: z.optional(z.string()),
  sessionId: z.optional(z.string()),
  durationMs: z.optional(z.number()),
  reason: z.optional(z.string()),
})
export type Trace = z.infer<typeof traceSchema>

const sessionActivitySchema = z.object({
  projectId: z.string(),
  lastOperation: z.string(),
  outcome,
  timestamp: z.string(),
  reason: z.optional(z.string()),
})
export type SessionActivity = z.infer<typeof sessionActivitySchema>

const healthSchema = z.object({
  status: healthStatus,
  reason: z.optional(z.string()),
  details: z.optional(z.record(z.string(), z.unknown())),
  component: z.string(),
  updatedAt: z.string(),
})
export type Health = z.infer<typeof healthSchema>

export const snapshotSchema = z.object({
  version: z.literal(1),
  component: z.string(),
  pid: z.number(),
  /** pid, start time and boot: a pid alone may belong to another process by now. */
  process: z.string(),
  startedAt: z.string(),
  updatedAt: z.string(),
  metrics: z.record(z.string(), metricSchema),
  traces: z.array(traceSchema),
  sessions: z.record(z.string(), sessionActivitySchema),
  health: z.record(z.string(), healthSchema),
})
export type Snapshot = z.infer<typeof snapshotSchema>
