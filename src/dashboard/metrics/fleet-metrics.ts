// What `/metrics` of ao says: sessions as they are on the boards, and what this process has counted since it started.
import { basename, dirname } from 'node:path'
import type { Gauge, Registry } from 'prom-client'
import type { Board, SessionCard } from '../../contract/dashboard/cards.ts'
import { UNREADABLE_NOTICE } from '../../contract/dashboard/columns.ts'
import { createMetricsText, loadPrometheus, type MetricsText, type Prometheus } from '../../http/metrics.ts'
import type { LoopState } from '../../lifecycle/loop/create-loop.ts'
import { countMeasures } from './count-measures.ts'

/** One configuration that the server serves. */
export interface MetricsSource {
  /** Its hash, as in addresses. */
  repository: string
  configPath: string
  board(): Promise<Board>
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
  const gauges = createGauges(prometheus, registry)
  gauges.build.set({ version }, 1)
  const refresh = async () => {
    const read = await Promise.all(sources().map(async (source) => ({ source, board: await source.board() })))
    // From here on without a pause: two scrapes at once must not count twice.
    for (const [name, gauge] of Object.entries(gauges)) if (name !== 'build') gauge.reset()
    for (const { source, board } of read) countBoard(gauges, source, board)
  }
  return createMetricsText(prometheus, { registry, refresh, ends })
}

type Gauges = ReturnType<typeof createGauges>

function createGauges({ Gauge }: Prometheus, registry: Registry) {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  return {
    build: gauge('ao_build_info', 'Always 1; the version is a label', ['version']),
    repository: gauge('ao_repository_info', 'Always 1; which repository a hash stands for', ['repository', 'name']),
    loop: gauge('ao_loop_ready', '1 while the loop completes its polls in time', ['repository']),
    current: gauge('ao_board_current', '0 when the sessions could not be read, so that their metrics are old', [
      'repository',
    ]),
    sessions: gauge('ao_sessions', 'Sessions that are not archived', ['repository', 'project', 'agent', 'status']),
    attention: gauge('ao_sessions_needing_attention', 'Sessions that wait for a person', [
      'repository',
      'project',
      'kind',
    ]),
    tokens: gauge('ao_session_tokens', 'Tokens used so far by the sessions that are not archived', [
      'repository',
      'project',
      'agent',
    ]),
    cost: gauge('ao_session_cost_usd', 'Estimated cost so far of the sessions that are not archived', [
      'repository',
      'project',
      'agent',
    ]),
  }
}

function countBoard(gauges: Gauges, { repository, configPath, loopState }: MetricsSource, board: Board): void {
  gauges.repository.set({ repository, name: basename(dirname(configPath)) }, 1)
  gauges.current.set({ repository }, board.notices.some(({ id }) => id === UNREADABLE_NOTICE) ? 0 : 1)
  const state = loopState()
  if (state !== null) gauges.loop.set({ repository }, state === 'ready' ? 1 : 0)
  for (const card of board.sessions) countCard(gauges, repository, card)
}

function countCard(gauges: Gauges, repository: string, card: SessionCard): void {
  const { projectId: project, agent, status, column, need, spent } = card
  gauges.sessions.inc({ repository, project, agent, status })
  if (column === 'needs_you') gauges.attention.inc({ repository, project, kind: need?.kind ?? 'other' })
  if (spent === null) return
  gauges.tokens.inc({ repository, project, agent }, spent.tokens)
  gauges.cost.inc({ repository, project, agent }, spent.costUsd ?? 0)
}
