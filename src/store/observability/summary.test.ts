import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import type { HealthStatus, Snapshot } from './snapshot.ts'
import { readObservability } from './summary.ts'

const ALIVE = formatIdentity(currentProcess())
const DEAD = '4194000:1:00000000'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-summary-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function store(component: string, pid: number, parts: Partial<Snapshot>): void {
  const snapshot: Snapshot = {
    version: 1,
    component,
    pid,
    process: DEAD,
    startedAt: at(0),
    updatedAt: at(pid),
    metrics: {},
    traces: [],
    sessions: {},
    health: {},
    ...parts,
  }
  writeFileSync(join(directory, `${component}-${pid}.json`), JSON.stringify(snapshot))
}

function at(seconds: number): string {
  return new Date(Date.UTC(2026, 2, 1, 10, 0, seconds)).toISOString()
}

function trace(id: string, seconds: number): Snapshot['traces'][number] {
  return { id, timestamp: at(seconds), component: 'cli', operation: 'send', outcome: 'success', correlationId: id }
}

function health(status: HealthStatus, seconds: number): Snapshot['health'][string] {
  return { status, component: 'cli', updatedAt: at(seconds) }
}

const summary = () => readObservability({ observability: directory })

describe('the summary of all snapshot files', () => {
  it('S1.60 adds the metrics up and keeps the newest times', () => {
    store('cli', 1, {
      metrics: {
        'myapp::spawn': {
          total: 3,
          success: 2,
          failure: 1,
          lastAt: at(9),
          lastFailureAt: at(5),
          lastFailureReason: 'newer',
        },
      },
    })
    store('cli', 2, {
      metrics: {
        'myapp::spawn': {
          total: 2,
          success: 1,
          failure: 1,
          lastAt: at(4),
          lastSuccessAt: at(4),
          lastFailureAt: at(2),
          lastFailureReason: 'older',
        },
        'other::kill': { total: 1, success: 1, failure: 0, lastAt: at(1) },
      },
    })
    expect(summary().metrics).toEqual({
      'myapp::spawn': {
        total: 5,
        success: 3,
        failure: 2,
        lastAt: at(9),
        lastSuccessAt: at(4),
        lastFailureAt: at(5),
        lastFailureReason: 'newer',
      },
      'other::kill': { total: 1, success: 1, failure: 0, lastAt: at(1) },
    })
  })

  it('S1.60 merges traces newest first, and sessions by their last operation', () => {
    store('cli', 1, {
      traces: [trace('a', 1), trace('c', 3)],
      sessions: { 'mya-1': { projectId: 'myapp', lastOperation: 'spawn', outcome: 'success', timestamp: at(1) } },
    })
    store('cli', 2, {
      traces: [trace('b', 2), trace('d', 4)],
      sessions: {
        'mya-1': { projectId: 'myapp', lastOperation: 'kill', outcome: 'failure', timestamp: at(2) },
        'mya-2': { projectId: 'myapp', lastOperation: 'spawn', outcome: 'success', timestamp: at(3) },
      },
    })
    expect(summary().traces.map((one) => one.id)).toEqual(['d', 'c', 'b', 'a'])
    expect(Object.keys(summary().sessions)).toEqual(['mya-2', 'mya-1'])
    expect(summary().sessions['mya-1']?.lastOperation).toBe('kill')
  })

  it('S1.60 takes the worst state of a surface from the running processes', () => {
    store('dashboard', 1, { process: ALIVE, health: { tmux: health('ok', 9) } })
    store('lifecycle', 2, { process: ALIVE, health: { tmux: health('warn', 1) } })
    store('cli', 3, { health: { tmux: health('error', 5), 'github-api': health('error', 1) } })
    store('cli', 4, { health: { 'github-api': health('ok', 2) } })
    expect(summary().health.tmux?.status).toBe('warn')
    // Two ended commands: the later one found it well again.
    expect(summary().health['github-api']?.status).toBe('ok')
    expect(summary().overallStatus).toBe('warn')
  })

  it('S1.60 says which processes run, and reports a damaged file instead of failing', () => {
    store('dashboard', 2, { process: ALIVE })
    store('cli', 1, {})
    writeFileSync(join(directory, 'cli-7.json'), '{"version":1,"metr')
    writeFileSync(join(directory, 'cli-8.json'), '{"version":2}')
    expect(summary().processes.map(({ component, running }) => [component, running])).toEqual([
      ['dashboard', true],
      ['cli', false],
    ])
    expect(
      summary()
        .damaged.map(({ file }) => file)
        .sort(),
    ).toEqual(['cli-7.json', 'cli-8.json'].map((name) => join(directory, name)))
  })

  it('S1.60 is empty and well when nothing was ever recorded', () => {
    expect(readObservability({ observability: join(directory, 'nothing') })).toEqual({
      overallStatus: 'ok',
      processes: [],
      metrics: {},
      traces: [],
      sessions: {},
      health: {},
      damaged: [],
    })
  })
})
