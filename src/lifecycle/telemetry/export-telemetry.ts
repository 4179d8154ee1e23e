// Traces for a collector of OpenTelemetry: what commands and the loop do to sessions, rounds of the loop, its reactions, and turns of
// agents. Names, times, outcomes, tokens and cost; never a prompt or an answer.
import { createHash, randomBytes } from 'node:crypto'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import type { Span } from '../../core/telemetry/otlp.ts'
import { foldTurns, type OpenTurn, type SeenSession, turnAttributes } from '../../core/telemetry/turns.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { onMeasure } from '../../lib/measures.ts'
import { AO_VERSION } from '../../lib/version.ts'
import type { Trace } from '../../store/observability/snapshot.ts'
import type { AoPaths } from '../../store/paths.ts'
import { createSpanQueue } from './span-queue.ts'

export interface TelemetryOptions {
  telemetry: NonNullable<OrchestratorConfig['telemetry']>
  paths: AoPaths
  clock: Clock
  log: Log
}

export interface Telemetry {
  close(): Promise<void>
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024
/** Operations of other processes are read from what they leave behind. */
const READ_MS = 5_000
const CLOSE_MS = 2_000
/** What somebody did to a session; requests and connections are in the metrics. */
const OPERATIONS: ReadonlySet<string> = new Set([
  'spawn',
  'kill',
  'restore',
  'pause',
  'move',
  'send',
  'claim_pr',
  'cleanup',
])

export function exportTelemetry({ telemetry, paths, clock, log }: TelemetryOptions): Telemetry {
  const { hash } = paths
  const now = () => clock.now().getTime()
  const queue = createSpanQueue({
    source: { version: AO_VERSION ?? 'source', repository: hash },
    log,
    post: (body) => postSpans(telemetry, body),
  })
  const add = (span: Omit<Span, 'traceId' | 'spanId' | 'kind'> & Partial<Span>, session?: string | undefined) =>
    queue.add({ kind: 'internal', traceId: traceIdOf(hash, session), spanId: randomBytes(8).toString('hex'), ...span })

  let open: ReadonlyMap<string, OpenTurn> = new Map()
  const takeSessions = (sessions: readonly Session[]) => {
    const folded = foldTurns(open, sessions.map(toSeen), now())
    open = folded.open
    for (const turn of folded.ended) {
      const attributes = turnAttributes(turn)
      const span = { name: `invoke_agent ${turn.session.agent}`, kind: 'client' as const, outcome: 'success' as const }
      add({ ...span, startMs: turn.startMs, endMs: now(), attributes }, turn.session.id)
    }
  }
  const ends = [
    onMeasure('tick', ({ repository, project, kind, seconds }) => {
      if (repository !== hash) return
      const attributes = { 'ao.project': project, 'ao.tick.kind': kind }
      add({ name: 'tick', startMs: now() - seconds * 1_000, endMs: now(), outcome: 'success', attributes })
    }),
    onMeasure('reaction', ({ repository, project, session, reaction, action, outcome, seconds }) => {
      if (repository !== hash) return
      const attributes = { 'ao.project': project, 'ao.session': session, 'ao.reaction': reaction, 'ao.action': action }
      const times = { startMs: now() - seconds * 1_000, endMs: now() }
      add({ name: `reaction ${reaction}`, ...times, outcome, attributes }, session)
    }),
    onMeasure('observed', ({ repository, sessions }) => {
      if (repository === hash) takeSessions(sessions())
    }),
  ]

  const seen = new Set<string>()
  const from = clock.now().toISOString()
  const readOperations = async () => {
    const { readObservability } = await import('../../store/observability/summary.ts')
    const traces = readObservability(paths).traces.filter(
      ({ id, operation, timestamp }) => timestamp >= from && OPERATIONS.has(operation) && !seen.has(id),
    )
    for (const trace of traces.reverse()) {
      seen.add(trace.id)
      queue.add(toSpan(hash, trace))
    }
    for (const id of [...seen].slice(0, Math.max(0, seen.size - MOST_SEEN))) seen.delete(id)
  }
  const reader = setInterval(() => {
    readOperations().catch((error) => log.warn(`operations could not be exported: ${errorText(error)}`))
  }, READ_MS)
  reader.unref()
  return {
    async close() {
      clearInterval(reader)
      for (const end of ends) end()
      await readOperations().catch(() => undefined) // Anything that could not be read now was reported before.
      await queue.close(CLOSE_MS)
    },
  }
}

/** More than are kept on disk. */
const MOST_SEEN = 2_000

async function postSpans({ endpoint, headers = {} }: TelemetryOptions['telemetry'], body: string): Promise<number> {
  // Loaded with the first spans: most people export none.
  const { boundedFetch } = await import('../../plugins/http-api/bounded-fetch.ts')
  const url = `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body, redirect: 'error' }
  const bounds = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES }
  return (await boundedFetch(url, init as RequestInit, bounds)).status
}

/** Everything about a session is one trace. */
function traceIdOf(repository: string, session: string | undefined): string {
  if (session === undefined) return randomBytes(16).toString('hex')
  return createHash('sha256').update(`${repository} ${session}`).digest('hex').slice(0, 32)
}

function toSpan(repository: string, trace: Trace): Span {
  const { id, timestamp, operation, outcome, reason, projectId, sessionId, durationMs = 0, component } = trace
  const endMs = Date.parse(timestamp)
  return {
    traceId: traceIdOf(repository, sessionId),
    spanId: createHash('sha256').update(id).digest('hex').slice(0, 16),
    name: operation,
    kind: 'internal',
    startMs: endMs - durationMs,
    endMs,
    outcome,
    reason,
    attributes: { 'ao.project': projectId, 'ao.session': sessionId, 'ao.component': component },
  }
}

function toSeen(session: Session): SeenSession {
  const cost = session.agentInfo?.cost
  const usage = cost && {
    inputTokens: cost.inputTokens + cost.cacheReadTokens + cost.cacheWriteTokens,
    outputTokens: cost.outputTokens,
    costUsd: cost.estimatedCostUsd,
  }
  return {
    id: session.id,
    project: session.projectId,
    agent: recordOf(session).agent ?? 'unknown',
    model: session.agentInfo?.model ?? null,
    isActive: session.activity === null && !isTerminalSession(session) ? null : session.activity === 'active',
    usage: usage ?? null,
  }
}
