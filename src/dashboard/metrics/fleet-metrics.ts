// What `/metrics` of ao says: sessions by their records, and what this process has counted since it started.
import { basename, dirname } from 'node:path'
import { createMetricsText, loadPrometheus, type Metrics, type MetricsText, metricsOf } from '../../http/metrics.ts'
import type { LoopState } from '../../lifecycle/loop/create-loop.ts'
import type { Census } from './census.ts'
import { countMeasures } from './count-measures.ts'

/** One configuration that the server serves. */
export interface MetricsSource {
  /** Its hash, as in addresses. */
  repository: string
  configPath: string
  census: Census['read']
  /** null: nothing watches its sessions. */
  loopState(): LoopState | null
}

export async function createFleetMetrics(
  sources: () => readonly MetricsSource[],
  version: string,
): Promise<MetricsText> {
  const prometheus = await loadPrometheus()
  const registry = new prometheus.Registry()
  const ends = countMeasures(prometheus, registry)
  const gauges = createGauges(metricsOf(prometheus, registry))
  gauges.build.set({ version }, 1)
  const refresh = async () => {
    for (const [name, gauge] of Object.entries(gauges)) if (name !== 'build') gauge.reset()
    for (const source of sources()) setGauges(gauges, source)
  }
  return createMetricsText(prometheus, { registry, refresh, ends })
}

type Gauges = ReturnType<typeof createGauges>

function createGauges({ gauge }: Metrics) {
  return {
    build: gauge('ao_build_info', 'Always 1; the version is a label', 'version'),
    repository: gauge('ao_repository_info', 'Always 1; which repository a hash stands for', 'repository name'),
    loop: gauge('ao_loop_ready', '1 while the loop completes its polls in time', 'repository'),
    current: gauge(
      'ao_sessions_current',
      '0 when the sessions could not be read, so that their metrics are old',
      'repository',
    ),
    sessions: gauge('ao_sessions', 'Sessions that are not archived', 'repository project agent status'),
    attention: gauge('ao_sessions_needing_attention', 'Sessions that wait for a person', 'repository project kind'),
    tokens: gauge(
      'ao_session_tokens',
      'Tokens used so far by the sessions that are not archived',
      'repository project agent',
    ),
    cost: gauge(
      'ao_session_cost_usd',
      'Estimated cost so far of the sessions that are not archived',
      'repository project agent',
    ),
  }
}

function setGauges(gauges: Gauges, { repository, configPath, census, loopState }: MetricsSource): void {
  const { projects, isCurrent } = census()
  gauges.repository.set({ repository, name: basename(dirname(configPath)) }, 1)
  gauges.current.set({ repository }, isCurrent ? 1 : 0)
  const state = loopState()
  if (state !== null) gauges.loop.set({ repository }, state === 'ready' ? 1 : 0)
  for (const [project, { byStatus, byNeed, spent }] of projects) {
    for (const { agent, status, sessions } of byStatus)
      gauges.sessions.set({ repository, project, agent, status }, sessions)
    for (const { kind, sessions } of byNeed) gauges.attention.set({ repository, project, kind }, sessions)
    for (const { agent, tokens, costUsd } of spent) {
      gauges.tokens.set({ repository, project, agent }, tokens)
      gauges.cost.set({ repository, project, agent }, costUsd)
    }
  }
}
