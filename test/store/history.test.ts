import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionStore } from '../../src/store/session/session-store.ts'
import { createTempStore, type TempStore } from './temp-store.ts'

let context: TempStore
let store: SessionStore

beforeEach(() => {
  context = createTempStore()
  store = context.store
  store.ensure()
})
afterEach(async () => {
  expect(await context.temp.cleanup()).toEqual([])
})

const stopped = (why: string) => ({ type: 'runtime.stopped', why }) as const
const file = () => store.paths.historyFile('svc-1')
const numbers = () => store.readHistory('svc-1').events.map((event) => event.seq)

describe('the history of a session', () => {
  it('numbers its events without gaps, many writers or not', async () => {
    const writers = Array.from({ length: 20 }, (_, index) =>
      context.again().appendEvents('svc-1', [stopped(`${index}`)]),
    )
    await Promise.all(writers)
    await store.appendEvents('svc-1', [stopped('a'), stopped('b')])
    expect(numbers()).toEqual(Array.from({ length: 22 }, (_, index) => index + 1))
    expect(store.readHistory('svc-1').problems).toEqual([])
  })

  it('returns what was recorded, and what came after a number', async () => {
    context.clock.set('2024-05-05T05:05:05.005Z')
    const [event] = await store.appendEvents('svc-1', [stopped('exit\n1')])
    expect(event).toEqual({ seq: 1, at: '2024-05-05T05:05:05.005Z', sessionId: 'svc-1', ...stopped('exit\n1') })
    await store.appendEvents('svc-1', [stopped('2'), stopped('3')])
    expect(store.readHistory('svc-1', { after: 1 }).events.map((one) => one.seq)).toEqual([2, 3])
    expect(store.readHistory('svc-1', { after: 3 }).events).toEqual([])
    expect(store.readHistory('svc-2')).toEqual({ events: [], problems: [] })
  })

  it('continues after a crash at any byte of the last line', async () => {
    await store.appendEvents('svc-1', [stopped('first')])
    const whole = readFileSync(file())
    const next = JSON.stringify({ seq: 2, at: 'x', sessionId: 'svc-1', ...stopped('ä€😀 second') })
    const bytes = Buffer.from(`${next}\n`)
    for (let cut = 0; cut <= bytes.length; cut++) {
      writeFileSync(file(), Buffer.concat([whole, bytes.subarray(0, cut)]))
      await store.appendEvents('svc-1', [stopped('after')])
      // The newline alone may be missing: then the event is whole and counts.
      expect(numbers()).toEqual(cut >= bytes.length - 1 ? [1, 2, 3] : [1, 2])
      expect(store.readHistory('svc-1').problems).toEqual([])
    }
  })

  it('finds its last number behind garbage, and says where the garbage is', async () => {
    await store.appendEvents('svc-1', [stopped('1'), stopped('2')])
    appendFileSync(file(), `\0\0\0\n{"seq":"x"}\n`)
    await store.appendEvents('svc-1', [stopped('3')])
    expect(numbers()).toEqual([1, 2, 3])
    expect(store.readHistory('svc-1').problems).toEqual(['line 3 is not an event', 'line 4 is not an event'])
  })

  it('says when numbers jump', async () => {
    writeFileSync(file(), '{"seq":1,"type":"runtime.stopped"}\n{"seq":5,"type":"runtime.stopped"}\n')
    expect(store.readHistory('svc-1').problems).toEqual(['line 2: event 5 follows 1'])
    await store.appendEvents('svc-1', [stopped('6')])
    expect(numbers()).toEqual([1, 5, 6])
  })

  it('never throws, whatever the file contains, and continues', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        writeFileSync(file(), bytes)
        const [event] = await store.appendEvents('svc-1', [stopped('x')])
        expect(store.readHistory('svc-1').events.at(-1)?.seq).toBe(event!.seq)
      }),
      { numRuns: 100 },
    )
  })

  it('reads only the end of a long file, even when the last event is very long', async () => {
    const line = `${JSON.stringify({ seq: 1, type: 'runtime.stopped', why: 'x'.repeat(1_000_000) })}\n`
    writeFileSync(file(), line.repeat(40).replace('"seq":1', '"seq":0'))
    const before = process.memoryUsage().arrayBuffers
    const [event] = await store.appendEvents('svc-1', [stopped('next')])
    expect(event!.seq).toBe(2)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  })

  it('takes half an event back when the disk is full', async () => {
    await store.appendEvents('svc-1', [stopped('first')])
    const size = statSync(file()).size
    const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
    const script = `import { appendHistory } from ${url('../../src/store/session/history.ts')}
      import { projectPaths } from ${url('../../src/store/paths.ts')}
      const context = { paths: projectPaths(process.argv[1]), clock: { now: () => new Date(0) } }
      try { appendHistory(context, 'svc-1', [{ type: 'runtime.stopped', why: 'x'.repeat(100_000) }]); console.log('ok') }
      catch (error) { console.log(error.code) }`
    // No file may grow beyond 8 KiB: the write fails half-way, as on a full disk.
    const limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"'
    const run = spawnSync('bash', ['-c', limited, process.execPath, script, store.paths.dir], {
      encoding: 'utf8',
      env: context.temp.env,
    })
    expect(run.stdout.trim()).toBe('EFBIG')
    expect(statSync(file()).size).toBe(size)
  })
})
