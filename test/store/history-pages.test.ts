// Parts of a history equal the parts of the whole, whatever the file contains, and cost as much as the part.
import { appendFileSync, closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lastOf, lastOnes, readHistoryPage, scanHistory } from '../../src/store/session/history.ts'
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

const file = () => store.paths.historyFile('svc-1')
const line = (seq: number, why: string, type = 'runtime.stopped') =>
  `${JSON.stringify({ seq, at: '2024-01-01T00:00:00.000Z', sessionId: 'svc-1', type, why })}\n`

/** Lines of events with growing numbers, of very different lengths, with garbage between them. */
const content = fc
  .array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ length: fc.constantFrom(1, 10, 300, 5_000, 70_000, 300_000), gap: fc.nat(2) }),
      },
      { weight: 1, arbitrary: fc.constantFrom('garbage\n', '\n', '\0\0\n', '{"seq":"x"}\n') },
    ),
    { maxLength: 60 },
  )
  .map((parts) => {
    let seq = 0
    return parts.map((part) => {
      if (typeof part === 'string') return part
      seq += 1 + part.gap
      return line(seq, 'ä'.repeat(part.length / 2), seq % 3 === 0 ? 'status.changed' : 'runtime.stopped')
    })
  })

describe('a part of a history', () => {
  it('is the same as that part of the whole', () => {
    fc.assert(
      fc.property(content, fc.nat(80), fc.integer({ min: 1, max: 70 }), fc.boolean(), (lines, after, last, isCut) => {
        writeFileSync(file(), lines.join('') + (isCut ? line(9_999, 'half').slice(0, 40) : ''))
        const all = store.readHistory('svc-1').events
        const behind = all.filter(({ seq }) => seq > after)
        expect(store.readHistory('svc-1', { after }).events).toEqual(behind)
        expect(store.readHistory('svc-1', { last }).events).toEqual(all.slice(-last))
        expect(store.readHistory('svc-1', { after, last }).events).toEqual(behind.slice(-last))
        expect(readPages(after)).toEqual(behind)
        const changes = all.filter(({ type }) => type === 'status.changed')
        expect(lastOnes(store.paths, 'svc-1', 'status.changed', last)).toEqual(changes.slice(-last))
        expect(lastOf(store.paths, 'svc-1', 'status.changed')).toEqual(changes.at(-1) ?? null)
      }),
      { numRuns: 40 },
    )
  })

  it('ends before half a line, and continues with it when it is whole', () => {
    writeFileSync(file(), line(1, 'a') + line(2, 'b').slice(0, 30))
    const seen: number[] = []
    const from = scanHistory(store.paths, 'svc-1', { from: 0 }, ({ seq }) => seen.push(seq))
    appendFileSync(file(), line(2, 'b').slice(30) + line(3, 'c'))
    scanHistory(store.paths, 'svc-1', { from }, ({ seq }) => seen.push(seq))
    expect(seen).toEqual([1, 2, 3])
  })

  it('begins anew with a file that became shorter', () => {
    writeFileSync(file(), line(1, 'a') + line(2, 'b'))
    const { next } = readHistoryPage(store.paths, 'svc-1', { after: 0, maxEvents: 9, maxBytes: 9_999 })
    writeFileSync(file(), line(3, 'c'))
    const page = readHistoryPage(store.paths, 'svc-1', { after: 2, from: next, maxEvents: 9, maxBytes: 9_999 })
    expect(page.events.map(({ seq }) => seq)).toEqual([3])
  })

  it('gives a page at least one event, however long, and no more than asked for', () => {
    writeFileSync(file(), line(1, 'x'.repeat(500_000)) + line(2, 'b') + line(3, 'c'))
    const first = readHistoryPage(store.paths, 'svc-1', { after: 0, maxEvents: 9, maxBytes: 1_000 })
    expect([first.events.length, first.hasMore]).toEqual([1, true])
    const second = readHistoryPage(store.paths, 'svc-1', { after: 1, from: first.next, maxEvents: 1, maxBytes: 1_000 })
    expect([second.events.map(({ seq }) => seq), second.hasMore]).toEqual([[2], true])
  })

  it('begins near the end for a reader that has nothing yet', () => {
    writeFileSync(file(), Array.from({ length: 1_000 }, (_, index) => line(index + 1, 'x'.repeat(1_000))).join(''))
    const request = { after: 0, maxEvents: 5_000, maxBytes: 10_000_000, startWithin: 20_000 }
    const { events } = readHistoryPage(store.paths, 'svc-1', request)
    expect(events.at(-1)?.seq).toBe(1_000)
    expect(events.length).toBeLessThan(20)
    expect(events.length).toBeGreaterThan(10)
  })
})

it('costs little of a history of 100 MB', () => {
  const fd = openSync(file(), 'w')
  for (let seq = 1; seq <= 2_000; seq++) writeSync(fd, line(seq, 'x'.repeat(50_000)))
  writeSync(fd, line(2_001, 'the end', 'status.changed'))
  closeSync(fd)
  expect(statSync(file()).size).toBeGreaterThan(100_000_000)
  const before = process.resourceUsage().userCPUTime
  expect(store.readHistory('svc-1', { last: 10 }).events).toHaveLength(10)
  expect(store.readHistory('svc-1', { after: 1_995 }).events).toHaveLength(6)
  expect(lastOf(store.paths, 'svc-1', 'status.changed')?.seq).toBe(2_001)
  const page = readHistoryPage(store.paths, 'svc-1', { after: 1_000, maxEvents: 200, maxBytes: 100_000 })
  expect(page.events[0]?.seq).toBe(1_001)
  // Reading it whole takes ten times as long.
  expect((process.resourceUsage().userCPUTime - before) / 1_000).toBeLessThan(100)
})

function readPages(after: number) {
  const events: ReturnType<typeof readHistoryPage>['events'] = []
  for (let from: number | undefined, has = after; ; ) {
    const page = readHistoryPage(store.paths, 'svc-1', { after: has, from, maxEvents: 7, maxBytes: 20_000 })
    events.push(...page.events)
    if (!page.hasMore) return events
    from = page.next
    has = page.events.at(-1)?.seq ?? has
  }
}
