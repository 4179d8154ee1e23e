// What `/metrics` of agh says: the live sessions, which are in memory, and what this daemon has counted since it started.
import { createMetricsText, loadPrometheus, type MetricsText, metricsOf } from '../../http/metrics.ts'
import { onMeasure } from '../../lib/measures.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { countLive } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'

export async function createAghMetrics(context: AghContext): Promise<MetricsText> {
  const prometheus = await loadPrometheus()
  const registry = new prometheus.Registry()
  const { counter, gauge } = metricsOf(prometheus, registry)
  const build = gauge('agh_build_info', 'Always 1; the version is a label', 'version')
  const sessions = gauge('agh_sessions', 'Live sessions; stopped ones are not counted', 'agent state phase')
  const permissions = gauge('agh_pending_permissions', 'Questions of agents that wait for a person', 'agent')
  const turns = counter('agh_turns_total', 'Turns that ended, by how', 'agent outcome')
  const tokens = counter('agh_tokens_total', 'Tokens of turns, as far as agents report them', 'agent')
  const ended = counter('agh_sessions_ended_total', 'Sessions that ended, by why', 'agent reason')
  build.set({ version: AO_VERSION ?? 'source' }, 1)
  const refresh = async () => {
    sessions.reset()
    permissions.reset()
    for (const { agent, state, phase, questions } of countLive(context)) {
      sessions.inc({ agent, state, phase })
      permissions.inc({ agent }, questions)
    }
  }
  const ends = [
    onMeasure('turn', ({ agent, outcome, tokens: used }) => {
      turns.inc({ agent, outcome })
      if (used > 0) tokens.inc({ agent }, used)
    }),
    onMeasure('sessionEnd', (labels) => ended.inc({ ...labels })),
  ]
  return createMetricsText(prometheus, { registry, refresh, ends })
}
