// Traces for OpenTelemetry, against a collector that is a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '../../src/contract/session.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { measure, onMeasure } from '../../src/lib/measures.ts'
import { exportTelemetry } from '../../src/lifecycle/telemetry/export-telemetry.ts'
import { createObserver } from '../../src/store/observability/observability.ts'
import { createPaths } from '../../src/store/paths.ts'
import { sampleSession } from '../support/sample-session.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'

const COLLECTOR = new URL('../fixtures/otlp-collector.mjs', import.meta.url).pathname

interface Line {
  port?: number
  name?: string
  traceId?: string
  status?: { code: number; message?: string }
  ms?: number
  attributes?: Record<string, unknown>
}

let temp: TempHome
let collector: ChildProcess
let lines: Line[]

beforeEach(async () => {
  temp = createTempHome()
  lines = []
  collector = spawn(process.execPath, [COLLECTOR, '--secret'], { stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: collector.stdout! }).on('line', (line) => lines.push(JSON.parse(line) as Line))
  await waitFor('the collector', () => lines.length > 0)
})
afterEach(async () => {
  collector.kill()
  expect(await temp.cleanup()).toEqual([])
})

function open(secret = 'secret') {
  const paths = createPaths({ configPath: `${temp.home}/agent-orchestrator.yaml`, home: temp.home, env: temp.env })
  const telemetry = { endpoint: `http://127.0.0.1:${lines[0]!.port}/`, headers: { authorization: `Bearer ${secret}` } }
  return { paths, exporting: exportTelemetry({ telemetry, paths, clock: systemClock, log: silentLog }) }
}

describe('traces for OpenTelemetry', () => {
  it('are of operations of every process, rounds, reactions and turns, those of a session together', async () => {
    const { paths, exporting } = open()
    const of = { repository: paths.hash, project: 'app' }
    const observer = createObserver({ component: 'cli', paths, clock: systemClock, log: silentLog })
    const about = { projectId: 'app', sessionId: 'app-1', durationMs: 1_200 }
    observer.record('spawn', { ...about, outcome: 'success' })
    observer.record('kill', { ...about, outcome: 'failure', reason: 'tmux does not answer' })
    observer.record('api_request', { projectId: 'app', outcome: 'success' })
    observer.flush()
    const seen = (activity: Session['activity'], tokens: number): Session =>
      sampleSession({
        id: 'app-1',
        projectId: 'app',
        activity,
        metadata: { agent: 'codex' },
        agentInfo: {
          summary: null,
          agentSessionId: null,
          model: 'gpt-5',
          cost: {
            inputTokens: tokens,
            outputTokens: 5,
            cacheReadTokens: 0,
            cacheWriteTokens: 0,
            estimatedCostUsd: 0.5,
          },
        },
      })
    measure('observed', { ...of, sessions: () => [seen('active', 10)] })
    measure('observed', { ...of, sessions: () => [seen('ready', 30)] })
    measure('tick', { ...of, kind: 'poll', seconds: 0.25 })
    const done = { action: 'send-to-agent', outcome: 'success', seconds: 0.1 } as const
    measure('reaction', { ...of, session: 'app-1', reaction: 'ci-failed', ...done })
    // Another configuration of the same server.
    measure('tick', { repository: 'other', project: 'app', kind: 'poll', seconds: 0.25 })
    await exporting.close()
    // The collector has them now; what it prints of them comes through a pipe.
    await waitFor('five spans', () => lines.length > 5)
    const spans = lines.slice(1)
    expect(spans.map(({ name }) => name).sort()).toEqual([
      'invoke_agent codex',
      'kill',
      'reaction ci-failed',
      'spawn',
      'tick',
    ])
    const find = (name: string) => spans.find((one) => one.name === name)!
    expect(find('spawn')).toMatchObject({ ms: 1_200, status: { code: 1 }, attributes: { 'ao.session': 'app-1' } })
    expect(find('kill').status).toEqual({ code: 2, message: 'tmux does not answer' })
    expect(find('tick')).toMatchObject({
      ms: expect.closeTo(250, -1),
      attributes: { 'ao.tick.kind': 'poll', 'service.name': 'ao' },
    })
    expect(find('invoke_agent codex').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 'app-1',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.output_tokens': 0,
    })
    const ofSession = ['spawn', 'kill', 'reaction ci-failed', 'invoke_agent codex'].map((name) => find(name).traceId)
    expect(new Set(ofSession).size).toBe(1)
    expect(find('tick').traceId).not.toBe(ofSession[0])
  })

  it('that a collector refuses are counted as dropped', async () => {
    const { paths, exporting } = open('wrong')
    let dropped = 0
    const end = onMeasure('telemetry', ({ outcome, spans }) => {
      if (outcome === 'dropped') dropped += spans
    })
    measure('tick', { repository: paths.hash, project: 'app', kind: 'poll', seconds: 0.25 })
    await exporting.close()
    end()
    expect(dropped).toBe(1)
    expect(lines).toHaveLength(1)
  })
})
