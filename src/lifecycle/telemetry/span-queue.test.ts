import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Span } from '../../core/telemetry/otlp.ts'
import { silentLog } from '../../lib/log.ts'
import { onMeasure } from '../../lib/measures.ts'
import { createSpanQueue } from './span-queue.ts'

const span = (name: string): Span => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  name,
  kind: 'internal',
  startMs: 0,
  endMs: 1,
  outcome: 'success',
  attributes: {},
})

const namesIn = (body: string) =>
  (
    JSON.parse(body) as { resourceSpans: Array<{ scopeSpans: Array<{ spans: Array<{ name: string }> }> }> }
  ).resourceSpans[0]!.scopeSpans[0]!.spans.map(({ name }) => name)

describe('spans on their way', () => {
  let counted: Record<string, number>
  let end: () => void
  beforeEach(() => {
    vi.useFakeTimers()
    counted = { sent: 0, dropped: 0 }
    end = onMeasure('telemetry', ({ outcome, spans }) => {
      counted[outcome]! += spans
    })
  })
  afterEach(() => {
    end()
    vi.useRealTimers()
  })

  const open = (post: (body: string) => Promise<number>, most?: number) =>
    createSpanQueue({
      source: { version: '1', repository: 'abc' },
      log: silentLog,
      post,
      everyMs: 100,
      ...(most && { most }),
    })

  it('are sent together, once', async () => {
    const sent: string[][] = []
    const queue = open(async (body) => {
      sent.push(namesIn(body))
      return 200
    })
    for (const name of ['a', 'b']) queue.add(span(name))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent).toEqual([['a', 'b']])
    expect(counted).toEqual({ sent: 2, dropped: 0 })
  })

  it('wait for a collector that is away or busy, in order, and the oldest are dropped when there are too many', async () => {
    const answers = [new Error('refused'), 503, 200]
    const sent: string[][] = []
    const queue = open(async (body) => {
      const answer = answers.shift() ?? 200
      if (answer instanceof Error) throw answer
      if (answer === 200) sent.push(namesIn(body))
      return answer
    }, 3)
    for (const name of ['a', 'b', 'c', 'd']) queue.add(span(name))
    expect(counted).toEqual({ sent: 0, dropped: 1 })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(sent).toEqual([['b', 'c', 'd']])
    expect(counted).toEqual({ sent: 3, dropped: 1 })
  })

  it('that a collector refuses for good are dropped, and the next ones are sent', async () => {
    const answers = [400, 200]
    const queue = open(async () => answers.shift()!)
    queue.add(span('a'))
    await vi.advanceTimersByTimeAsync(200)
    queue.add(span('b'))
    await vi.advanceTimersByTimeAsync(200)
    expect(counted).toEqual({ sent: 1, dropped: 1 })
  })

  it('hold up neither who adds them nor the end', async () => {
    const queue = open(() => new Promise(() => undefined))
    queue.add(span('a'))
    await vi.advanceTimersByTimeAsync(200)
    const closed = queue.close(500)
    await vi.advanceTimersByTimeAsync(600)
    await closed
    expect(counted).toEqual({ sent: 0, dropped: 1 })
  })
})
