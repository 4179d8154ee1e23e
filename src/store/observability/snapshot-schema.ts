// A snapshot as it is read back: the file may have been edited.
import * as z from 'zod/mini'
import type { Snapshot } from './snapshot.ts'

const text = z.string()
const maybe = z.optional(text)
const outcome = z.enum(['success', 'failure'])

const metric = z.object({
  total: z.number(),
  success: z.number(),
  failure: z.number(),
  lastAt: text,
  lastSuccessAt: maybe,
  lastFailureAt: maybe,
  lastFailureReason: maybe,
})

const trace = z.object({
  id: text,
  timestamp: text,
  component: text,
  operation: text,
  outcome,
  correlationId: text,
  projectId: maybe,
  sessionId: maybe,
  durationMs: z.optional(z.number()),
  reason: maybe,
})

const session = z.object({ projectId: text, lastOperation: text, outcome, timestamp: text, reason: maybe })

const health = z.object({
  status: z.enum(['ok', 'warn', 'error']),
  reason: maybe,
  details: z.optional(z.record(text, z.unknown())),
  component: text,
  updatedAt: text,
})

export const snapshotSchema = z.object({
  version: z.literal(1),
  component: text,
  pid: z.number(),
  process: text,
  startedAt: text,
  updatedAt: text,
  metrics: z.record(text, metric),
  traces: z.array(trace),
  sessions: z.record(text, session),
  health: z.record(text, health),
}) satisfies z.ZodMiniType<Snapshot>
