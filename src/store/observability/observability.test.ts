import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { testProgram } from '../../../test/support/test-program.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { createLog, type Log, silentLog } from '../../lib/log.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { createPaths } from '../paths.ts'
import { createObserver, type Observer, type ObserverOptions, removeDeadSnapshots } from './observability.ts'
import { OBSERVED_OPERATIONS, type Snapshot } from './snapshot.ts'

const WRITER = testProgram('write-snapshots')

let directory: string
let now: Date
const clock = { now: () => now }

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-observability-'))
  now = new Date('2026-03-01T10:00:00.000Z')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function observe(options: Partial<ObserverOptions> = {}): Observer {
  return createObserver({ component: 'cli', paths: { observability: directory }, clock, log: silentLog, ...options })
}

function read(name = `cli-${process.pid}.json`): Snapshot {
  return JSON.parse(readFileSync(join(directory, name), 'utf8')) as Snapshot
}

function tick(ms = 1_000): void {
  now = new Date(now.getTime() + ms)
}

describe('what is kept', () => {
  it('S1.53 says that a process runs before it has done anything, and nothing of one that did nothing', () => {
    const [idle, busy] = [observe(), observe({ component: 'busy' })]
    for (const observer of [idle, busy]) observer.announce()
    expect(readdirSync(directory).sort()).toEqual([`busy-${process.pid}.json`, `cli-${process.pid}.json`])
    busy.record('spawn', { projectId: 'myapp', outcome: 'success' })
    for (const observer of [idle, busy]) observer.withdraw()
    expect(readdirSync(directory)).toEqual([`busy-${process.pid}.json`])
  })

  it('S1.54 counts per project and metric, with the times of the last operation and the last failure', () => {
    const observer = observe()
    observer.record('spawn', { projectId: 'myapp', outcome: 'success' })
    tick()
    observer.record('spawn', { projectId: 'myapp', outcome: 'failure', reason: 'the branch is taken' })
    tick()
    observer.record('spawn', { projectId: 'myapp', outcome: 'success' })
    observer.record('spawn', { projectId: 'other', outcome: 'success' })
    observer.flush()

    expect(read().metrics).toEqual({
      'myapp::spawn': {
        total: 3,
        success: 2,
        failure: 1,
        lastAt: '2026-03-01T10:00:02.000Z',
        lastSuccessAt: '2026-03-01T10:00:02.000Z',
        lastFailureAt: '2026-03-01T10:00:01.000Z',
        lastFailureReason: 'the branch is taken',
      },
      'other::spawn': expect.objectContaining({ total: 1, success: 1, failure: 0 }),
    })
    expect(read().metrics['other::spawn']).not.toHaveProperty('lastFailureAt')
  })

  it('S1.55 names every operation that ao tracks', () => {
    const wanted = ['spawn', 'kill', 'lifecycle_poll', 'restore', 'claim_pr', 'cleanup', 'api_request', 'send']
    const connections = [
      'websocket_connect',
      'websocket_disconnect',
      'websocket_error',
      'sse_connect',
      'sse_disconnect',
    ]
    expect([...OBSERVED_OPERATIONS].sort()).toEqual([...wanted, ...connections].sort())
  })

  it.each(OBSERVED_OPERATIONS)('S1.55 counts %s', (operation) => {
    const observer = observe()
    observer.record(operation, { projectId: 'myapp', outcome: 'success' })
    observer.flush()
    expect(read().metrics[`myapp::${operation}`]?.total).toBe(1)
  })

  it('S1.56 keeps 80 traces: the 81st drops the oldest', () => {
    const observer = observe()
    for (let n = 1; n <= 81; n++) observer.record('send', { projectId: 'myapp', outcome: 'success', durationMs: n })
    observer.flush()
    const { traces, metrics } = read()
    expect(traces).toHaveLength(80)
    expect(traces.map((trace) => trace.durationMs)).toEqual(Array.from({ length: 80 }, (_, index) => index + 2))
    expect(metrics['myapp::send']?.total).toBe(81)
  })

  it('S1.57 gives each trace its identity, time, names and outcome, and what else is known', () => {
    const observer = observe()
    observer.record('send', { projectId: 'myapp', outcome: 'success' })
    observer.record('kill', {
      projectId: 'myapp',
      sessionId: 'mya-1',
      outcome: 'failure',
      durationMs: 12,
      reason: 'tmux does not answer',
      correlationId: 'request-7',
    })
    observer.flush()
    const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const always = { id: uuid, timestamp: '2026-03-01T10:00:00.000Z', component: 'cli', projectId: 'myapp' }
    expect(read().traces).toEqual([
      { ...always, operation: 'send', outcome: 'success', correlationId: uuid },
      {
        ...always,
        operation: 'kill',
        outcome: 'failure',
        correlationId: 'request-7',
        sessionId: 'mya-1',
        durationMs: 12,
        reason: 'tmux does not answer',
      },
    ])
  })

  it('S1.58 keeps the 200 most recently active sessions with their last operation, outcome and time', () => {
    const observer = observe()
    for (let n = 1; n <= 200; n++) {
      observer.record('spawn', { projectId: 'myapp', sessionId: `mya-${n}`, outcome: 'success' })
    }
    tick()
    observer.record('send', { projectId: 'myapp', sessionId: 'mya-1', outcome: 'failure', reason: 'gone' })
    observer.record('spawn', { projectId: 'myapp', sessionId: 'mya-201', outcome: 'success' })
    observer.flush()
    const { sessions } = read()
    expect(Object.keys(sessions)).toHaveLength(200)
    // mya-1 was active again, so mya-2 is the one that was quiet for longest.
    expect(sessions).not.toHaveProperty('mya-2')
    expect(sessions['mya-1']).toEqual({
      projectId: 'myapp',
      lastOperation: 'send',
      outcome: 'failure',
      timestamp: '2026-03-01T10:00:01.000Z',
      reason: 'gone',
    })
  })

  it.each(['ok', 'warn', 'error'] as const)('S1.59 keeps the health of a surface: %s', (status) => {
    const observer = observe()
    observer.health('tmux', { status: 'ok' })
    observer.health('github-api', { status, reason: 'rate limit', details: { remaining: 3 } })
    observer.flush()
    expect(read().health).toEqual({
      tmux: { status: 'ok', component: 'cli', updatedAt: now.toISOString() },
      'github-api': {
        status,
        reason: 'rate limit',
        details: { remaining: 3 },
        component: 'cli',
        updatedAt: now.toISOString(),
      },
    })
  })

  it('measures what it runs, also when that throws, and hands the result or the error on', async () => {
    const observer = observe()
    const spawned = observer.measure('spawn', { projectId: 'myapp' }, async (context) => {
      context.sessionId = 'mya-1'
      return 'the session'
    })
    await expect(spawned).resolves.toBe('the session')
    const failed = observer.measure('kill', { projectId: 'myapp', sessionId: 'mya-1' }, async () => {
      throw new Error('no such session')
    })
    await expect(failed).rejects.toThrow('no such session')
    observer.flush()
    expect(read().traces).toEqual([
      expect.objectContaining({ operation: 'spawn', outcome: 'success', sessionId: 'mya-1' }),
      expect.objectContaining({ operation: 'kill', outcome: 'failure', reason: 'no such session' }),
    ])
    for (const trace of read().traces) expect(trace.durationMs).toBeGreaterThanOrEqual(0)
  })
})

describe('the snapshot file', () => {
  it('S1.8 S1.53 is {component}-{pid}.json in the observability directory of the configuration', async () => {
    const temp: TempHome = createTempHome()
    const configPath = join(temp.home, 'agent-orchestrator.yaml')
    const paths = createPaths({ configPath, home: temp.home, env: temp.env })
    const observer = createObserver({ component: 'dashboard', paths, clock, log: silentLog })
    observer.record('api_request', { projectId: 'myapp', outcome: 'success' })
    observer.flush()
    const base = join(temp.home, '.agent-orchestrator')
    expect(readdirSync(base)).toEqual([expect.stringMatching(/^[0-9a-f]{12}-observability$/)])
    expect(readdirSync(join(base, readdirSync(base)[0]!, 'processes'))).toEqual([`dashboard-${process.pid}.json`])
    expect(await temp.cleanup()).toEqual([])
  })

  it('S1.61 is listed by ls and read by jq as the documents say', () => {
    for (const component of ['cli', 'lifecycle']) {
      const observer = observe({ component })
      observer.record('spawn', { projectId: 'myapp', outcome: 'success' })
      observer.flush()
    }
    const shell = (line: string) => execFileSync('bash', ['-c', line], { cwd: directory, encoding: 'utf8' })
    expect(shell('ls').trim().split('\n')).toEqual([`cli-${process.pid}.json`, `lifecycle-${process.pid}.json`])
    expect(shell("cat *.json | jq '.metrics' | jq -s 'map(.\"myapp::spawn\".total)' -c").trim()).toBe('[1,1]')
  })

  it('S1.61 of a command can still be read after the command', () => {
    const { pid } = spawnSync(process.execPath, [WRITER, directory, 'once'])
    removeDeadSnapshots({ observability: directory }, { now: () => new Date() })
    expect(read(`cli-${pid}.json`).metrics['myapp::spawn']?.total).toBe(50)
  })

  it('S1.3 is never met half written by a reader', async () => {
    const child = spawn(process.execPath, [WRITER, directory], { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    try {
      const file = join(directory, `cli-${child.pid}.json`)
      await waitFor('the first snapshot', () => readdirSync(directory).includes(`cli-${child.pid}.json`))
      const seen = new Set<string>()
      const deadline = Date.now() + 20_000
      for (let reads = 0; (reads < 3_000 || seen.size < 20) && Date.now() < deadline; reads++) {
        seen.add((JSON.parse(readFileSync(file, 'utf8')) as Snapshot).updatedAt)
      }
      expect(seen.size).toBeGreaterThanOrEqual(20)
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  })

  it('is written once for a burst, and again for the next one', async () => {
    const observer = observe()
    for (let n = 0; n < 100; n++) observer.record('send', { projectId: 'myapp', outcome: 'success' })
    expect(readdirSync(directory)).toEqual([])
    const written = await waitFor('the write after the burst', () => readdirSync(directory).length > 0 && read())
    expect(written.metrics['myapp::send']?.total).toBe(100)
    observer.record('send', { projectId: 'myapp', outcome: 'success' })
    expect(read().metrics['myapp::send']?.total).toBe(100)
    observer.flush()
    expect(read().metrics['myapp::send']?.total).toBe(101)
  })

  it('is not written by a process that did nothing worth counting', () => {
    observe().flush()
    expect(readdirSync(directory)).toEqual([])
  })

  it('that cannot be written is a warning, never a failure of the operation', async () => {
    const lines: string[] = []
    const blocked = join(directory, 'a-file')
    writeFileSync(blocked, '')
    const observer = observe({ paths: { observability: blocked }, log: createLog('warn', (line) => lines.push(line)) })
    await expect(observer.measure('spawn', { projectId: 'myapp' }, async () => 'fine')).resolves.toBe('fine')
    observer.flush()
    expect(lines).toEqual([expect.stringContaining('snapshot files could not be kept')])
  })
})

describe('files of dead processes', () => {
  const DAY = 24 * 60 * 60 * 1000

  /** A file as a process that ended long ago left it. */
  function leaveFile(name: string, ageMs: number, identity = '4194000:1:00000000'): void {
    writeFileSync(join(directory, name), JSON.stringify({ version: 1, process: identity }))
    const at = new Date(now.getTime() - ageMs)
    utimesSync(join(directory, name), at, at)
  }

  it('are removed after a day', () => {
    leaveFile('cli-4194000.json', DAY + 1)
    leaveFile('cli-4194001.json', DAY - 1)
    expect(removeDeadSnapshots({ observability: directory }, clock)).toEqual([join(directory, 'cli-4194000.json')])
    expect(readdirSync(directory)).toEqual(['cli-4194001.json'])
  })

  it('are removed beyond the newest twenty', () => {
    for (let n = 0; n < 25; n++) leaveFile(`cli-${4_194_000 + n}.json`, n * 1_000)
    expect(removeDeadSnapshots({ observability: directory }, clock)).toHaveLength(5)
    expect(readdirSync(directory)).toHaveLength(20)
    expect(readdirSync(directory)).toContain('cli-4194000.json')
  })

  it('are distinguished from those of running ones by more than the pid', () => {
    // The pid is ours, the start time is not: another process had it before.
    leaveFile(`cli-${process.pid}.json`, DAY + 1, `${process.pid}:1:00000000`)
    leaveFile('dashboard-1.json', DAY + 1, formatIdentity(currentProcess()))
    removeDeadSnapshots({ observability: directory }, clock)
    expect(readdirSync(directory)).toEqual(['dashboard-1.json'])
  })

  it('are removed by the next process that writes its own, together with what a killed writer left', () => {
    leaveFile('cli-4194000.json', DAY + 1)
    leaveFile('.cli-4194000.json.4194000.abcd.tmp', DAY)
    leaveFile('.cli-4194001.json.4194001.abcd.tmp', 1)
    const observer = observe()
    observer.record('spawn', { projectId: 'myapp', outcome: 'success' })
    observer.flush()
    expect(readdirSync(directory).sort()).toEqual(['.cli-4194001.json.4194001.abcd.tmp', `cli-${process.pid}.json`])
  })

  it('that are damaged are removed only when no process has their pid', () => {
    writeFileSync(join(directory, 'cli-4194000.json'), '{"version":1,')
    writeFileSync(join(directory, `cli-${process.pid}.json`), 'no json')
    now = new Date(Date.now() + 2 * DAY)
    removeDeadSnapshots({ observability: directory }, clock)
    expect(readdirSync(directory)).toEqual([`cli-${process.pid}.json`])
  })
})

describe('the lines on stderr', () => {
  function linesAt(level: string | undefined, failureLevel?: 'info'): string[] {
    const lines: string[] = []
    const log: Log = createLog(level, (line) => lines.push(line.split(' {')[0]!.trim()))
    const observer = observe({ log, ...(failureLevel ? { failureLevel } : {}) })
    observer.record('spawn', { projectId: 'myapp', outcome: 'success' })
    observer.record('kill', { projectId: 'myapp', outcome: 'failure', reason: 'busy' })
    observer.health('tmux', { status: 'error', reason: 'not installed' })
    return lines
  }

  it.each([
    ['debug', ['ao debug: spawn done', 'ao warn: kill failed', 'ao error: tmux is in state error']],
    ['info', ['ao warn: kill failed', 'ao error: tmux is in state error']],
    ['warn', ['ao warn: kill failed', 'ao error: tmux is in state error']],
    ['error', ['ao error: tmux is in state error']],
    [undefined, ['ao warn: kill failed', 'ao error: tmux is in state error']],
  ])('S1.108 follow AO_LOG_LEVEL=%s', (level, expected) => {
    expect(linesAt(level)).toEqual(expected)
  })

  it('S1.108 say nothing of a failure that the command prints itself, unless asked for', () => {
    expect(linesAt('warn', 'info')).toEqual(['ao error: tmux is in state error'])
    expect(linesAt('info', 'info')).toContain('ao info: kill failed')
  })
})
