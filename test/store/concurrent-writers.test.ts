// Node and shell write one session at once: every update arrives, no reader ever sees half a file, even under kill -9.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parsePairs } from '../../src/core/text/key-value.ts'
import { setupPathWrapperWorkspace } from '../../src/inside/path-wrappers.ts'
import type { SessionStore } from '../../src/store/session/session-store.ts'
import { repeats } from '../support/cover.ts'
import { testProgram } from '../support/test-program.ts'
import { createTempStore, PAIRS, RESERVED, type TempStore } from './temp-store.ts'

const NODE_WRITER = testProgram('metadata-writer')
const SHELL_WRITER = fileURLToPath(new URL('./fixtures/metadata-writer.sh', import.meta.url))

let context: TempStore
let store: SessionStore
let helper: string
let children: Set<ChildProcess>

beforeEach(async () => {
  context = createTempStore()
  store = context.store
  const bin = await setupPathWrapperWorkspace({ home: context.temp.home, aoCommand: [process.execPath, 'ao.js'] })
  helper = `${bin}/ao-metadata-helper.sh`
  await store.reserve('svc-1', { others: PAIRS, summary: 'a & b / c \\ d | e' }, RESERVED)
  children = new Set()
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  expect(await context.temp.cleanup()).toEqual([])
})

interface Writer {
  child: ChildProcess
  /** Resolves with the last value it reported as written, when it ended. */
  ended: Promise<number>
}

function startWriter(kind: 'node' | 'shell', mode: string, key: string, range: [number, number]): Writer {
  const work = [mode, key, ...range.map(String)]
  const [program, args] =
    kind === 'node'
      ? [process.execPath, [NODE_WRITER, store.paths.dir, context.configPath, ...work]]
      : [SHELL_WRITER, [helper, ...work]]
  const env = { ...context.temp.env, AO_SESSION: 'svc-1', AO_DATA_DIR: store.paths.sessions }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  let last = range[0] - 1
  child.stdout?.on('data', (data: Buffer) => {
    for (const line of data.toString().split('\n')) if (line !== '') last = Number(line)
  })
  const ended = new Promise<number>((resolve) => {
    child.on('close', () => {
      children.delete(child)
      resolve(last)
    })
  })
  return { child, ended }
}

/**
 * Ends the lock's owner, which for a shell is its subshell. What that one had started (`mv`, `ln`) stays alive for a
 * moment.
 */
function killOwner(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return
  const owners = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean)
  child.kill('SIGSTOP')
  for (const pid of owners) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It ended on its own between the two lines.
    }
  }
  child.kill('SIGKILL')
}

/** Reads all the time. Every state must be whole, and no counter may ever go back. */
function watchFile(): { stop(): { reads: number; faults: string[] } } {
  const faults: string[] = []
  const highest = new Map<string, number>()
  let reads = 0
  const sample = () => {
    reads++
    const text = readFileSync(store.paths.sessionFile('svc-1'), 'utf8')
    const { pairs, problems } = parsePairs(text)
    if (problems.length > 0 || !text.endsWith('\n')) faults.push(`half a file: ${problems.join(', ')}`)
    if (pairs.project !== PAIRS.project || pairs.summary !== 'a & b / c \\ d | e') faults.push('another key changed')
    for (const [key, value] of Object.entries(pairs)) {
      if (!/^note\.(node|shell)-\d+/.test(key)) continue
      if (Number(value) < (highest.get(key) ?? 0)) faults.push(`${key} went back to ${value}`)
      highest.set(key, Number(value))
    }
  }
  const timer = setInterval(sample, 5)
  return {
    stop() {
      clearInterval(timer)
      sample()
      return { reads, faults: faults.slice(0, 5) }
    },
  }
}

const COUNTS = repeats(520, 60)
const EVENTS = repeats(1_450, 120)
const UPDATES = 5 * (COUNTS + EVENTS + 15 + 15)

describe('one session', () => {
  it(`S1.89 M3 M4 G9 keeps ${UPDATES} updates of 20 writers, Node and shell`, { timeout: 300_000 }, async () => {
    const watch = watchFile()
    const started = performance.now()
    const writers = Array.from({ length: 5 }, (_, index) => [
      startWriter('node', 'count', `note.node-${index}`, [1, COUNTS]),
      startWriter('node', 'event', `note.node-${index}`, [1, EVENTS]),
      startWriter('shell', 'each', `note.shell-${index}`, [1, 15]),
      startWriter('shell', 'each', `note.shell-${index + 5}`, [1, 15]),
    ]).flat()
    const counted = await Promise.all(writers.map((writer) => writer.ended))
    const seconds = (performance.now() - started) / 1000
    const { reads, faults } = watch.stop()

    // A writer that gave up waiting for the lock says so on stderr, and here by the last value that it reported as written.
    expect(counted).toEqual(Array.from({ length: 5 }, () => [COUNTS, EVENTS, 15, 15]).flat())
    const { pairs } = store.read('svc-1')!
    expect(pairs.usageTokens).toBe(String(5 * COUNTS))
    expect(Object.keys(pairs).filter((key) => key.startsWith('note.shell-'))).toHaveLength(10 * 15)
    const { events, problems } = store.readHistory('svc-1')
    expect(problems).toEqual([])
    const lines = events.flatMap((event) => (event.type === 'runtime.stopped' ? event.why : []))
    expect(new Set(lines).size).toBe(5 * EVENTS)
    expect(faults).toEqual([])
    expect(reads).toBeGreaterThan(100)
    expect(readdirSync(store.paths.locks)).toEqual([])
    console.log(`${UPDATES} updates by 20 writers in ${seconds.toFixed(1)} s, read ${reads} times meanwhile`)
  })

  it('loses no acknowledged update while writers are killed at any moment', { timeout: 120_000 }, async () => {
    const watch = watchFile()
    const until = performance.now() + 6_000
    let kills = 0
    const relay = async (kind: 'node' | 'shell', index: number) => {
      const key = `note.${kind}-${index}`
      for (let from = 1; performance.now() < until; ) {
        const writer = startWriter(kind, 'own', key, [from, 1_000_000])
        const life = 150 + ((index * 37 + kills * 53) % 400)
        setTimeout(() => killOwner(writer.child), kind === 'node' ? life + 250 : life)
        const acknowledged = await writer.ended
        kills++
        // The one on its way may have arrived without being acknowledged; it is simply written again.
        expect(Number(store.read('svc-1')!.pairs[key] ?? 0)).toBeGreaterThanOrEqual(acknowledged)
        from = acknowledged + 1
      }
    }
    const jobs = Array.from({ length: 4 }, (_, index) => [relay('node', index), relay('shell', index)]).flat()
    await Promise.all(jobs)
    const { faults } = watch.stop()
    expect(faults).toEqual([])
    expect(kills).toBeGreaterThan(20)
    await store.update('svc-1', { others: { last: 'one' } })
    expect(store.readHistory('svc-1').problems).toEqual([])
    expect(readdirSync(store.paths.locks)).toEqual([])
    expect(readdirSync(store.paths.sessions).sort()).toEqual(['.damaged', '.locks', 'archive', 'svc-1'])
  })
})
