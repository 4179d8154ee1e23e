// Counts what the parts of this process publish (`lib/measures.ts`), from the start of the server on.
import type { Registry } from 'prom-client'
import { type Metrics, metricsOf, type Prometheus } from '../../http/metrics.ts'
import { onMeasure } from '../../lib/measures.ts'

const TICK_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const REQUEST_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Returns what ends it. */
export function countMeasures(prometheus: Prometheus, registry: Registry): Array<() => void> {
  const metrics = metricsOf(prometheus, registry)
  return [...countLoop(metrics), ...countAgents(metrics), ...countForges(metrics)]
}

function countLoop({ counter, gauge, histogram }: Metrics): Array<() => void> {
  const ticks = histogram(
    'ao_loop_tick_duration_seconds',
    'How long a round of the loop took',
    'repository project kind',
    TICK_SECONDS,
  )
  const exported = counter(
    'ao_telemetry_spans_total',
    'Spans for OpenTelemetry that a collector took, or that were dropped',
    'outcome',
  )
  const reactions = counter(
    'ao_reactions_total',
    'Reactions that were carried out',
    'repository project reaction action outcome',
  )
  const notifications = counter(
    'ao_notifications_total',
    'Notifications, by notifier; a retry counts again',
    'notifier outcome',
  )
  const train = counter(
    'ao_train_pulls_total',
    'Pull requests that landed with the train or left it, by why',
    'repository project outcome',
  )
  const unreachable = gauge(
    'ao_sessions_unreachable',
    'Sessions in a place that cannot be reached, so that what their agents are doing is unknown',
    'repository project place',
  )
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

function countAgents({ counter }: Metrics): Array<() => void> {
  const operations = counter(
    'ao_operations_total',
    'Spawns, kills, sends and other operations of this process',
    'repository project operation outcome',
  )
  const messages = counter('ao_messages_total', 'Messages to agents, by how far they got', 'repository project level')
  const tokens = counter(
    'ao_tokens_total',
    'Tokens that agents used, as the loop recorded them',
    'repository project agent',
  )
  const cost = counter(
    'ao_cost_usd_total',
    'Estimated cost of what agents used, as the loop recorded it',
    'repository project agent',
  )
  return [
    onMeasure('operation', ({ seconds: _, ...labels }) => operations.inc(labels)),
    onMeasure('message', (labels) => messages.inc({ ...labels })),
    onMeasure('usage', ({ tokens: used, costUsd, ...labels }) => {
      tokens.inc(labels, used)
      cost.inc(labels, costUsd)
    }),
  ]
}

function countForges({ counter, gauge, histogram }: Metrics): Array<() => void> {
  const limit = (name: string, help: string) => gauge(name, help, 'service resource')
  const requests = counter(
    'ao_forge_requests_total',
    'Requests to forges and trackers, by status of the response; 0: there was none',
    'service status',
  )
  const seconds = histogram(
    'ao_forge_request_duration_seconds',
    'How long requests to forges and trackers took',
    'service',
    REQUEST_SECONDS,
  )
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
