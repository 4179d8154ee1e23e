import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import { createAghMetrics } from '../../agh/daemon/agh-metrics.ts'
import type { AghContext } from '../../agh/session/context.ts'
import type { Session } from '../../contract/session.ts'
import { countSessions } from '../../core/queue/count-sessions.ts'
import type { MetricsText } from '../../http/metrics.ts'
import { measure } from '../../lib/measures.ts'
import { createFleetMetrics, type MetricsSource } from './fleet-metrics.ts'

let metrics: MetricsText
afterEach(() => metrics.close())

const source = (more: Partial<MetricsSource>): MetricsSource => ({
  repository: 'abc',
  configPath: '/code/app/agent-orchestrator.yaml',
  census: () => ({ projects: new Map(), isCurrent: true }),
  loopState: () => 'ready',
  ...more,
})

/** The counts of these sessions of one project. */
const census =
  (project: string, sessions: Session[]): MetricsSource['census'] =>
  () => ({ projects: new Map([[project, countSessions(sessions, NOW)]]), isCurrent: true })

const NOW = Date.parse('2026-03-04T12:00:00.000Z')
const session = (agent: string, more: Partial<Session> = {}, record: Record<string, string> = {}) =>
  sampleSession({ ...more, metadata: { agent, ...record } })

async function open(...sources: MetricsSource[]): Promise<MetricsText> {
  metrics = await createFleetMetrics(() => sources, '1.2.3')
  return metrics
}

/** The lines of these metrics, without comments. */
async function linesOf(...names: string[]): Promise<string[]> {
  const lines = (await metrics.text()).split('\n')
  return lines.filter((line) => names.some((name) => line.startsWith(`${name}{`) || line.startsWith(`${name} `)))
}

describe('/metrics of ao', () => {
  it('counts sessions, who needs a person and what was spent, per repository', async () => {
    const spent = { usageTokens: '100', usageCostUsd: '0.5' }
    const until = (hour: number) => ({ snoozedNeed: 'finished', snoozedUntil: `2026-03-04T${hour}:00:00.000Z` })
    const mine = [
      session('codex', {}, { ...spent, activity: 'active' }),
      session('codex', {}, { ...spent, activity: 'ready' }),
      session('codex', {}, { activity: 'ready', ...until(13) }),
      session('codex', {}, { activity: 'ready', ...until(11) }),
      session('codex', { status: 'needs_input' }),
      session('codex', { status: 'mergeable' }),
      session('codex', { status: 'killed' }),
    ]
    await open(
      source({ census: census('app', mine) }),
      source({ repository: 'def', census: census('web', [session('demo')]) }),
    )
    const of = 'repository="abc",project="app"'
    expect(
      await linesOf('ao_sessions', 'ao_sessions_needing_attention', 'ao_session_tokens', 'ao_session_cost_usd'),
    ).toEqual([
      `ao_sessions{${of},agent="codex",status="working"} 4`,
      `ao_sessions{${of},agent="codex",status="needs_input"} 1`,
      `ao_sessions{${of},agent="codex",status="mergeable"} 1`,
      `ao_sessions{${of},agent="codex",status="killed"} 1`,
      'ao_sessions{repository="def",project="web",agent="demo",status="working"} 1',
      `ao_sessions_needing_attention{${of},kind="finished"} 2`,
      `ao_sessions_needing_attention{${of},kind="question"} 1`,
      `ao_session_tokens{${of},agent="codex"} 200`,
      `ao_session_cost_usd{${of},agent="codex"} 1`,
    ])
    const [one, other] = await Promise.all([metrics.text(), metrics.text()])
    for (const text of [one, other]) expect(text).toContain('status="working"} 4\n')
  })

  it('says when the sessions could not be read, and whether the loop works', async () => {
    await open(source({ census: () => ({ projects: new Map(), isCurrent: false }), loopState: () => 'stalled' }))
    expect(await linesOf('ao_sessions_current', 'ao_loop_ready')).toEqual([
      'ao_loop_ready{repository="abc"} 0',
      'ao_sessions_current{repository="abc"} 0',
    ])
  })

  it('counts what the parts of the process publish, and nothing after its end', async () => {
    const of = { repository: 'abc', project: 'app' }
    await open(source({}))
    measure('tick', { ...of, kind: 'poll', seconds: 0.3 })
    const done = { action: 'send-to-agent', outcome: 'success', seconds: 0.1 } as const
    measure('reaction', { ...of, session: 'app-1', reaction: 'ci-failed', ...done })
    measure('telemetry', { outcome: 'dropped', spans: 3 })
    measure('message', { ...of, level: 'seen' })
    measure('usage', { ...of, agent: 'codex', tokens: 12, costUsd: 0.25 })
    measure('train', { ...of, outcome: 'landed' })
    measure('forgeRequest', { service: 'GitHub', status: 200, seconds: 0.2 })
    measure('forgeLimit', { service: 'GitHub', resource: 'core', limit: 5000, remaining: 4999, resetAt: 1_000_000 })
    expect(
      await linesOf(
        'ao_loop_tick_duration_seconds_count',
        'ao_reactions_total',
        'ao_messages_total',
        'ao_tokens_total',
      ),
    ).toEqual([
      'ao_loop_tick_duration_seconds_count{repository="abc",project="app",kind="poll"} 1',
      'ao_reactions_total{repository="abc",project="app",reaction="ci-failed",action="send-to-agent",outcome="success"} 1',
      'ao_messages_total{repository="abc",project="app",level="seen"} 1',
      'ao_tokens_total{repository="abc",project="app",agent="codex"} 12',
    ])
    expect(await linesOf('ao_train_pulls_total', 'ao_forge_requests_total', 'ao_forge_rate_limit_remaining')).toEqual([
      'ao_train_pulls_total{repository="abc",project="app",outcome="landed"} 1',
      'ao_forge_requests_total{service="GitHub",status="200"} 1',
      'ao_forge_rate_limit_remaining{service="GitHub",resource="core"} 4999',
    ])
    measure('places', { ...of, unreachable: new Map([['box', 2]]) })
    expect(await linesOf('ao_sessions_unreachable')).toEqual([
      'ao_sessions_unreachable{repository="abc",project="app",place="box"} 2',
    ])
    measure('places', { ...of, unreachable: new Map() })
    expect(await linesOf('ao_sessions_unreachable')).toEqual([
      'ao_sessions_unreachable{repository="abc",project="app",place="box"} 0',
    ])
    metrics.close()
    expect(() => measure('message', { ...of, level: 'seen' })).not.toThrow()
  })

  it('lets no name of an agent forge another line', async () => {
    await open(source({ census: census('app', [session('x"} 1\nao_sessions{agent="y')]) }))
    const lines = await linesOf('ao_sessions')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('agent="x\\"} 1\\nao_sessions{agent=\\"y"')
  })
})

describe('what the documentation promises', () => {
  const root = join(import.meta.dirname, '../../..')
  const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8')

  async function namesOf(): Promise<Set<string>> {
    const agh = await createAghMetrics({ live: new Map() } as unknown as AghContext)
    await open(source({}))
    const text = `${await metrics.text()}\n${await agh.text()}`
    agh.close()
    const named = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    return new Set(
      named.flatMap(([, name, type]) =>
        type === 'histogram' ? [name!, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
      ),
    )
  }

  it('is there: every metric of the Grafana dashboard and of docs/observability.md exists, and all of ours are documented', async () => {
    const names = await namesOf()
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
      panels: Array<{ targets: Array<{ expr: string }> }>
      templating: { list: Array<{ query?: { query?: string } }> }
    }
    const used = [
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...dashboard.templating.list.map(({ query }) => query?.query ?? ''),
    ].flatMap((expr) => expr.match(/\b(?:ao|agh|process|nodejs)_[a-z0-9_]+/g) ?? [])
    expect(used.length).toBeGreaterThan(20)
    expect(used.filter((name) => !names.has(name))).toEqual([])
    const documented = [...read('observability.md').matchAll(/`((?:ao|agh)_[a-z0-9_]+)`/g)].map(([, name]) => name!)
    expect(documented.filter((name) => !names.has(name))).toEqual([])
    const ours = [...names].filter((name) => /^(?:ao|agh)_/.test(name) && !/_(?:bucket|sum|count)$/.test(name))
    expect(ours.filter((name) => !documented.includes(name))).toEqual([])
  })
})
