// Counts what the parts of this process publish (`lib/measures.ts`), from the start of the server on.
import type { Registry } from 'prom-client'
import type { Prometheus } from '../../http/metrics.ts'
import { onMeasure } from '../../lib/measures.ts'

const TICK_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const REQUEST_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Returns what ends it. */
export function countMeasures(prometheus: Prometheus, registry: Registry): Array<() => void> {
  return [
    ...countLoop(prometheus, registry),
    ...countAgents(prometheus, registry),
    ...countForges(prometheus, registry),
  ]
}

function countLoop({ Counter, Gauge, Histogram }: Prometheus, registry: Registry): Array<() => void> {
  const registers = [registry]
  const ticks = new Histogram({
    name: 'ao_loop_tick_duration_seconds',
    help: 'How long a round of the loop took',
    labelNames: ['repository', 'project', 'kind'],
    buckets: TICK_SECONDS,
    registers,
  })
  const exported = new Counter({
    name: 'ao_telemetry_spans_total',
    help: 'Spans for OpenTelemetry that a collector took, or that were dropped',
    labelNames: ['outcome'],
    registers,
  })
  const reactions = new Counter({
    name: 'ao_reactions_total',
    help: 'Reactions that were carried out',
    labelNames: ['repository', 'project', 'reaction', 'action', 'outcome'],
    registers,
  })
  const notifications = new Counter({
    name: 'ao_notifications_total',
    help: 'Notifications, by notifier; a retry counts again',
    labelNames: ['notifier', 'outcome'],
    registers,
  })
  const train = new Counter({
    name: 'ao_train_pulls_total',
    help: 'Pull requests that landed with the train or left it, by why',
    labelNames: ['repository', 'project', 'outcome'],
    registers,
  })
  const unreachable = new Gauge({
    name: 'ao_sessions_unreachable',
    help: 'Sessions in a place that cannot be reached, so that what their agents are doing is unknown',
    labelNames: ['repository', 'project', 'place'],
    registers,
  })
  const lost = new Map<string, Set<string>>()
  return [
    onMeasure('places', ({ repository, project, unreachable: places }) => {
      const counted = lost.get(`${repository} ${project}`) ?? new Set()
      for (const place of counted) unreachable.set({ repository, project, place }, places.get(place) ?? 0)
      for (const [place, sessions] of places) unreachable.set({ repository, project, place }, sessions)
      lost.set(`${repository} ${project}`, new Set([...counted, ...places.keys()]))
    }),
    onMeasure('tick', ({ seconds, ...labels }) => ticks.observe(labels, seconds)),
    onMeasure('reaction', ({ session: _, seconds: __, ...labels }) => reactions.inc(labels)),
    onMeasure('telemetry', ({ outcome, spans }) => exported.inc({ outcome }, spans)),
    onMeasure('notification', (labels) => notifications.inc({ ...labels })),
    onMeasure('train', (labels) => train.inc({ ...labels })),
  ]
}

function countAgents({ Counter }: Prometheus, registry: Registry): Array<() => void> {
  const registers = [registry]
  const operations = new Counter({
    name: 'ao_operations_total',
    help: 'Spawns, kills, sends and other operations of this process',
    labelNames: ['repository', 'project', 'operation', 'outcome'],
    registers,
  })
  const messages = new Counter({
    name: 'ao_messages_total',
    help: 'Messages to agents, by how far they got',
    labelNames: ['repository', 'project', 'level'],
    registers,
  })
  const tokens = new Counter({
    name: 'ao_tokens_total',
    help: 'Tokens that agents used, as the loop recorded them',
    labelNames: ['repository', 'project', 'agent'],
    registers,
  })
  const cost = new Counter({
    name: 'ao_cost_usd_total',
    help: 'Estimated cost of what agents used, as the loop recorded it',
    labelNames: ['repository', 'project', 'agent'],
    registers,
  })
  return [
    onMeasure('operation', ({ seconds: _, ...labels }) => operations.inc(labels)),
    onMeasure('message', (labels) => messages.inc({ ...labels })),
    onMeasure('usage', ({ tokens: used, costUsd, ...labels }) => {
      tokens.inc(labels, used)
      cost.inc(labels, costUsd)
    }),
  ]
}

function countForges({ Counter, Gauge, Histogram }: Prometheus, registry: Registry): Array<() => void> {
  const registers = [registry]
  const limit = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['service', 'resource'], registers })
  const requests = new Counter({
    name: 'ao_forge_requests_total',
    help: 'Requests to forges and trackers, by status of the response; 0: there was none',
    labelNames: ['service', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'ao_forge_request_duration_seconds',
    help: 'How long requests to forges and trackers took',
    labelNames: ['service'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const remaining = limit('ao_forge_rate_limit_remaining', 'Requests that the service still allows in this window')
  const most = limit('ao_forge_rate_limit', 'Requests that the service allows in a window')
  const reset = limit('ao_forge_rate_limit_reset_timestamp_seconds', 'When the window ends')
  return [
    onMeasure('forgeRequest', (request) => {
      requests.inc({ service: request.service, status: String(request.status) })
      seconds.observe({ service: request.service }, request.seconds)
    }),
    onMeasure('forgeLimit', ({ service, resource, ...window }) => {
      remaining.set({ service, resource }, window.remaining)
      most.set({ service, resource }, window.limit)
      reset.set({ service, resource }, window.resetAt / 1_000)
    }),
  ]
}
