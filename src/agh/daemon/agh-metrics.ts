// What `/metrics` of agh says: the live sessions, which are in memory, and what this daemon has counted since it started.
import { createMetricsText, loadPrometheus, type MetricsText } from '../../http/metrics.ts'
import { onMeasure } from '../../lib/measures.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { countLive } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'

export async function createAghMetrics(context: AghContext): Promise<MetricsText> {
  const prometheus = await loadPrometheus()
  const { Counter, Gauge, Registry } = prometheus
  const registry = new Registry()
  const registers = [registry]
  const build = new Gauge({
    name: 'agh_build_info',
    help: 'Always 1; the version is a label',
    labelNames: ['version'],
    registers,
  })
  const sessions = new Gauge({
    name: 'agh_sessions',
    help: 'Live sessions; stopped ones are not counted',
    labelNames: ['agent', 'state', 'phase'],
    registers,
  })
  const permissions = new Gauge({
    name: 'agh_pending_permissions',
    help: 'Questions of agents that wait for a person',
    labelNames: ['agent'],
    registers,
  })
  const turns = new Counter({
    name: 'agh_turns_total',
    help: 'Turns that ended, by how',
    labelNames: ['agent', 'outcome'],
    registers,
  })
  const tokens = new Counter({
    name: 'agh_tokens_total',
    help: 'Tokens of turns, as far as agents report them',
    labelNames: ['agent'],
    registers,
  })
  const ended = new Counter({
    name: 'agh_sessions_ended_total',
    help: 'Sessions that ended, by why',
    labelNames: ['agent', 'reason'],
    registers,
  })
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
