// All snapshot files as one summary, for the dashboard and for people. Reads only; a damaged file is reported.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { errorText } from '../../contract/errors.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import type { ProcessState } from '../../lib/process/process-identity.ts'
import type { AoPaths } from '../paths.ts'
import { listSnapshotNames, writerState } from './observability.ts'
import {
  type Health,
  type HealthStatus,
  MAX_SESSIONS,
  type Metric,
  type SessionActivity,
  type Snapshot,
  type Trace,
} from './snapshot.ts'

export interface ObservabilitySummary {
  /** The worst of all surfaces; `ok` when there is none. */
  overallStatus: HealthStatus
  processes: Array<{ component: string; pid: number; running: boolean | null; startedAt: string; updatedAt: string }>
  metrics: Record<string, Metric>
  /** Newest first. */
  traces: Trace[]
  /** Most recently active first. */
  sessions: Record<string, SessionActivity>
  health: Record<string, Health>
  damaged: DamagedSnapshot[]
}

interface SnapshotFile {
  snapshot: Snapshot
  process: ProcessState
}

export interface DamagedSnapshot {
  file: string
  why: string
}

const MAX_MERGED_TRACES = 400
const WORSE: Record<HealthStatus, number> = { ok: 0, warn: 1, error: 2 }

export function readObservability(paths: Pick<AoPaths, 'observability'>): ObservabilitySummary {
  const { snapshots, damaged } = readSnapshots(paths)
  const health = mergeHealth(snapshots)
  const worst = Object.values(health).reduce<HealthStatus>((so, { status }) => worseOf(so, status), 'ok')
  return {
    overallStatus: worst,
    processes: snapshots.map(processOf).sort((a, b) => descending(a.updatedAt, b.updatedAt)),
    metrics: mergeMetrics(snapshots),
    traces: snapshots
      .flatMap(({ snapshot }) => snapshot.traces)
      .sort((a, b) => descending(a.timestamp, b.timestamp))
      .slice(0, MAX_MERGED_TRACES),
    sessions: mergeSessions(snapshots),
    health,
    damaged,
  }
}

function readSnapshots(paths: Pick<AoPaths, 'observability'>): {
  snapshots: SnapshotFile[]
  damaged: DamagedSnapshot[]
} {
  const snapshots: SnapshotFile[] = []
  const damaged: DamagedSnapshot[] = []
  for (const name of listSnapshotNames(paths)) {
    const file = join(paths.observability, name)
    try {
      const snapshot = snapshotSchema.parse(JSON.parse(readPlainText(file)))
      snapshots.push({ snapshot, process: writerState(name, snapshot.process) })
    } catch (error) {
      // A file removed since the listing is not damage: its process ended and the file was cleaned up.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') damaged.push({ file, why: errorText(error) })
    }
  }
  return { snapshots, damaged }
}

function processOf({ snapshot, process }: SnapshotFile): ObservabilitySummary['processes'][number] {
  const { component, pid, startedAt, updatedAt } = snapshot
  return { component, pid, running: process === 'unknown' ? null : process === 'alive', startedAt, updatedAt }
}

function mergeMetrics(snapshots: SnapshotFile[]): Record<string, Metric> {
  const merged = new Map<string, Metric>()
  for (const [key, metric] of snapshots.flatMap(({ snapshot }) => Object.entries(snapshot.metrics))) {
    const before = merged.get(key)
    merged.set(key, before ? addMetrics(before, metric) : metric)
  }
  return Object.fromEntries([...merged].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function addMetrics(a: Metric, b: Metric): Metric {
  const [older, newer] = (a.lastFailureAt ?? '') <= (b.lastFailureAt ?? '') ? [a, b] : [b, a]
  return {
    // The newer failure with its reason, or the only one.
    ...older,
    ...newer,
    total: a.total + b.total,
    success: a.success + b.success,
    failure: a.failure + b.failure,
    lastAt: latest(a.lastAt, b.lastAt)!,
    lastSuccessAt: latest(a.lastSuccessAt, b.lastSuccessAt),
  }
}

function mergeSessions(snapshots: SnapshotFile[]): Record<string, SessionActivity> {
  const newest = new Map<string, SessionActivity>()
  for (const [id, activity] of snapshots.flatMap(({ snapshot }) => Object.entries(snapshot.sessions))) {
    const existing = newest.get(id)
    if (!existing || existing.timestamp < activity.timestamp) newest.set(id, activity)
  }
  const sorted = [...newest].sort(([, a], [, b]) => descending(a.timestamp, b.timestamp))
  return Object.fromEntries(sorted.slice(0, MAX_SESSIONS))
}

/**
 * The worst state reported by running processes. For ended ones only the newest report counts: an old problem that a later
 * command found resolved must not stay on the board.
 */
function mergeHealth(snapshots: SnapshotFile[]): Record<string, Health> {
  const surfaces = new Map<string, { health: Health; running: boolean }>()
  for (const { snapshot, process } of snapshots) {
    for (const [surface, health] of Object.entries(snapshot.health)) {
      const candidate = { health, running: process === 'alive' }
      const existing = surfaces.get(surface)
      if (!existing || outweighs(candidate, existing)) surfaces.set(surface, candidate)
    }
  }
  return Object.fromEntries([...surfaces].map(([surface, { health }]) => [surface, health]))
}

function outweighs(a: { health: Health; running: boolean }, b: { health: Health; running: boolean }): boolean {
  if (a.running !== b.running) return a.running
  const difference = a.running ? WORSE[a.health.status] - WORSE[b.health.status] : 0
  return difference === 0 ? a.health.updatedAt > b.health.updatedAt : difference > 0
}

function worseOf(a: HealthStatus, b: HealthStatus): HealthStatus {
  return WORSE[a] >= WORSE[b] ? a : b
}

/** ISO times sort as text. */
function latest(...times: Array<string | undefined>): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1)
}

function descending(a: string, b: string): number {
  return a === b ? 0 : a < b ? 1 : -1
}

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

/** A snapshot as it is read back: the file may have been edited. */
const snapshotSchema = z.object({
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
