// Counts and traces what this process does and keeps it in its own snapshot file, `{component}-{pid}.json`, beside those of
// other processes. Observing must never fail or delay what is observed.
import { randomUUID } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { namesIn, readPlainText } from '../../lib/plain-file.ts'
import {
  currentProcess,
  formatIdentity,
  identify,
  type ProcessState,
  parseIdentity,
  processState,
} from '../../lib/process/process-identity.ts'
import { removeFile } from '../../lib/remove.ts'
import type { AoPaths } from '../paths.ts'
import { redactDetails, redactText } from './redact-snapshot.ts'
import {
  type Health,
  type HealthStatus,
  MAX_METRICS,
  MAX_SESSIONS,
  MAX_SURFACES,
  MAX_TRACES,
  type Metric,
  type Observation,
  type ObservedOperation,
  type OperationContext,
  type SessionActivity,
  type Snapshot,
  type Trace,
} from './snapshot.ts'

export interface Observer {
  record(operation: ObservedOperation, observation: Observation): void
  health(
    surface: string,
    state: { status: HealthStatus; reason?: string | undefined; details?: Record<string, unknown> | undefined },
  ): void
  /** Runs it and records how it ended and how long it took. `context` may be completed on the way (a new session's id). */
  measure<T>(
    operation: ObservedOperation,
    context: OperationContext,
    run: (context: OperationContext) => Promise<T>,
  ): Promise<T>
  /** Writes the snapshot now, although nothing was recorded yet: it shows that this process is running. */
  announce(): void
  /** Removes the snapshot again: nothing was recorded, and the directory is for processes that did something. */
  withdraw(): void
  /** Writes pending records now. A command calls it at its end; a server need not. */
  flush(): void
}

export interface ObserverOptions {
  /** `cli`, `dashboard`, `lifecycle`: the first part of the file's name. */
  component: string
  paths: Pick<AoPaths, 'observability'>
  clock: Clock
  log: Log
  /** Level of the line on stderr for a failed operation; a command that prints its error itself passes `info`. */
  failureLevel?: 'info' | 'warn'
}

/** Records within this time are written together. */
const WRITE_DELAY_MS = 200

interface State {
  startedAt: string
  metrics: Map<string, Metric>
  traces: Trace[]
  sessions: Map<string, SessionActivity>
  health: Map<string, Health>
}

export function createObserver(options: ObserverOptions): Observer {
  const { clock, log, component } = options
  const state: State = {
    startedAt: clock.now().toISOString(),
    metrics: new Map(),
    traces: [],
    sessions: new Map(),
    health: new Map(),
  }
  const writer = createWriter(options, state)

  const record: Observer['record'] = (operation, observation) => {
    const trace = traceOf(operation, observation, component, clock)
    state.traces = [...state.traces, trace].slice(-MAX_TRACES)
    countMetric(state, observation.projectId, trace)
    noteSession(state, observation.projectId, trace)
    const level = trace.outcome === 'success' ? 'debug' : (options.failureLevel ?? 'warn')
    log[level](`${operation} ${trace.outcome === 'success' ? 'done' : 'failed'}`, { ...trace })
    writer.schedule()
  }

  return {
    record,
    health(surface, { status, reason, details }) {
      remember(state.health, surface, MAX_SURFACES, {
        status,
        reason: reason && redactText(reason),
        details: details && redactDetails(details),
        component,
        updatedAt: clock.now().toISOString(),
      })
      if (status !== 'ok')
        log[status](`${surface} is in state ${status}`, reason ? { reason: redactText(reason) } : undefined)
      writer.schedule()
    },
    async measure(operation, given, run) {
      const context = { ...given }
      const started = performance.now()
      const durationMs = () => Math.round(performance.now() - started)
      try {
        const result = await run(context)
        record(operation, { ...context, outcome: 'success', durationMs: durationMs() })
        return result
      } catch (error) {
        record(operation, { ...context, outcome: 'failure', durationMs: durationMs(), reason: errorText(error) })
        throw error
      }
    },
    announce() {
      writer.schedule()
      writer.flush()
    },
    withdraw() {
      if (state.traces.length === 0 && state.health.size === 0) removeFile(snapshotFile(options))
    },
    flush: writer.flush,
  }
}

/** One write per burst: the first record starts the delay, later ones are included. */
function createWriter(options: ObserverOptions, state: State): { schedule(): void; flush(): void } {
  let timer: NodeJS.Timeout | null = null
  let isFirst = true
  const flush = () => {
    if (timer === null) return
    clearTimeout(timer)
    timer = null
    try {
      writeSnapshot(options, state)
      if (isFirst) removeDeadSnapshots(options.paths, options.clock)
      isFirst = false
    } catch (error) {
      options.log.warn('observability: the snapshot files could not be kept', { error: errorText(error) })
    }
  }
  return {
    flush,
    schedule() {
      if (timer !== null) return
      timer = setTimeout(flush, WRITE_DELAY_MS)
      // A finished command must not wait for this.
      timer.unref()
    },
  }
}

function writeSnapshot(options: ObserverOptions, state: State): void {
  const { component, clock, paths } = options
  const identity = currentProcess()
  const snapshot: Snapshot = {
    version: 1,
    component,
    pid: identity.pid,
    process: formatIdentity(identity),
    startedAt: state.startedAt,
    updatedAt: clock.now().toISOString(),
    metrics: Object.fromEntries(state.metrics),
    traces: state.traces,
    sessions: Object.fromEntries(state.sessions),
    health: Object.fromEntries(state.health),
  }
  mkdirSync(paths.observability, { recursive: true, mode: 0o700 })
  // Not fsynced: a power loss may lose these numbers, and nothing else.
  writeFileAtomic(snapshotFile(options), `${JSON.stringify(snapshot)}\n`, { durable: false })
}

function snapshotFile({ component, paths }: Pick<ObserverOptions, 'component' | 'paths'>): string {
  return join(paths.observability, `${component}-${currentProcess().pid}.json`)
}

function traceOf(operation: string, observation: Observation, component: string, clock: Clock): Trace {
  const { projectId, sessionId, outcome, durationMs, reason, correlationId } = observation
  return {
    id: randomUUID(),
    timestamp: clock.now().toISOString(),
    component,
    operation,
    outcome,
    correlationId: correlationId ?? randomUUID(),
    projectId,
    sessionId,
    durationMs,
    reason: reason && redactText(reason),
  }
}

function countMetric(state: State, projectId: string, { operation, outcome, timestamp, reason }: Trace): void {
  const key = `${projectId}::${operation}`
  const before = state.metrics.get(key)
  const counted: Metric = {
    ...before,
    total: (before?.total ?? 0) + 1,
    success: (before?.success ?? 0) + (outcome === 'success' ? 1 : 0),
    failure: (before?.failure ?? 0) + (outcome === 'failure' ? 1 : 0),
    lastAt: timestamp,
  }
  if (outcome === 'success') counted.lastSuccessAt = timestamp
  if (outcome === 'failure') {
    counted.lastFailureAt = timestamp
    counted.lastFailureReason = reason ?? 'no reason given'
  }
  remember(state.metrics, key, MAX_METRICS, counted)
}

function noteSession(state: State, projectId: string, trace: Trace): void {
  const { sessionId, operation: lastOperation, outcome, timestamp, reason } = trace
  if (sessionId === undefined) return
  remember(state.sessions, sessionId, MAX_SESSIONS, { projectId, lastOperation, outcome, timestamp, reason })
}

/** A map keeps insertion order, so its first key is the least recently used. */
function remember<V>(map: Map<string, V>, key: string, limit: number, value: V): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= limit) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}

/** A short command's snapshot must stay readable after it ends: the newest files stay for a day, whoever wrote them. */
const KEEP_NEWEST = 20
const KEEP_MS = 24 * 60 * 60 * 1000
/** A writer needs its temporary file for milliseconds; an old one belongs to a killed writer. */
const KEEP_TEMPORARY_MS = 10 * 60 * 1000

/** Returns what was removed. Files of running processes, and of those that cannot be judged, stay. */
export function removeDeadSnapshots(paths: Pick<AoPaths, 'observability'>, clock: Clock): string[] {
  const now = clock.now().getTime()
  const names = namesIn(paths.observability)
  const stale = names
    .filter((name) => name.startsWith('.') && name.endsWith('.tmp'))
    .map((name) => join(paths.observability, name))
    .filter((file) => now - (modifiedAt(file) ?? now) > KEEP_TEMPORARY_MS)
  const dead = names
    .filter(isSnapshotName)
    .map((name) => ({ name, file: join(paths.observability, name) }))
    .map((one) => ({ ...one, at: modifiedAt(one.file) ?? now }))
    .sort((a, b) => b.at - a.at)
    .filter(({ at }, index) => index >= KEEP_NEWEST || now - at > KEEP_MS)
    .filter(({ name, file }) => writerState(name, identityIn(file)) === 'dead')
    .map(({ file }) => file)
  for (const file of [...stale, ...dead]) removeFile(file)
  return [...stale, ...dead]
}

export function listSnapshotNames(paths: Pick<AoPaths, 'observability'>): string[] {
  return namesIn(paths.observability).filter(isSnapshotName)
}

/** Is the process that wrote this file still running? */
export function writerState(name: string, identity: string | null): ProcessState {
  const parsed = identity === null ? null : parseIdentity(identity)
  if (parsed !== null) return processState(parsed)
  // Without an identity only the pid in the name is left, and it can prove only one thing: that no process has it.
  const pid = Number(/-(\d+)\.json$/.exec(name)?.[1])
  try {
    return identify(pid) === null ? 'dead' : 'unknown'
  } catch {
    return 'unknown'
  }
}

function identityIn(file: string): string | null {
  try {
    const { process } = JSON.parse(readPlainText(file)) as { process?: unknown }
    return typeof process === 'string' ? process : null
  } catch {
    // Damaged or gone: the name has to suffice.
    return null
  }
}

function isSnapshotName(name: string): boolean {
  return /^[^.].*-\d+\.json$/.test(name)
}

function modifiedAt(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null
}
