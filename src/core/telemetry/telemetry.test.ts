import { describe, expect, it } from 'vitest'
import { type Span, toOtlp } from './otlp.ts'
import { foldTurns, type OpenTurn, type SeenSession, turnAttributes } from './turns.ts'

const span: Span = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  name: 'spawn',
  kind: 'internal',
  startMs: 1_763_000_000_000,
  endMs: 1_763_000_001_500.5,
  outcome: 'failure',
  reason: 'the branch is taken',
  attributes: { 'ao.project': 'app', 'ao.tokens': 12, 'ao.cost.usd': 0.25, 'ao.session': undefined, ok: true },
}

describe('a span', () => {
  it('is written as OTLP has it in JSON', () => {
    const { resourceSpans } = toOtlp([span], { version: '1.2.3', repository: 'abc' }) as { resourceSpans: object[] }
    expect(resourceSpans).toMatchObject([
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'ao' } }, {}, {}] },
        scopeSpans: [
          {
            scope: { name: 'ao', version: '1.2.3' },
            spans: [
              {
                traceId: span.traceId,
                spanId: span.spanId,
                name: 'spawn',
                kind: 1,
                startTimeUnixNano: '1763000000000000000',
                endTimeUnixNano: '1763000001500500000',
                status: { code: 2, message: 'the branch is taken' },
                attributes: [
                  { key: 'ao.project', value: { stringValue: 'app' } },
                  { key: 'ao.tokens', value: { intValue: '12' } },
                  { key: 'ao.cost.usd', value: { doubleValue: 0.25 } },
                  { key: 'ok', value: { boolValue: true } },
                ],
              },
            ],
          },
        ],
      },
    ])
  })

  it('with times or numbers that are none is sent all the same', () => {
    const odd = { ...span, startMs: Number.NaN, endMs: Number.POSITIVE_INFINITY, attributes: { cost: Number.NaN } }
    const written = JSON.stringify(toOtlp([odd, span], { version: '1', repository: 'abc' }))
    expect(written).toContain('"startTimeUnixNano":"0","endTimeUnixNano":"0"')
    expect(written).toContain('{"doubleValue":0}')
  })
})

describe('turns', () => {
  const seen = (isActive: boolean | null, tokens: number | null): SeenSession => ({
    id: 'app-1',
    project: 'app',
    agent: 'codex',
    model: 'gpt-5',
    isActive,
    usage: tokens === null ? null : { inputTokens: tokens, outputTokens: tokens / 10, costUsd: tokens / 1_000 },
  })

  it('begin and end as polls see them, with what was used in between', () => {
    let open: ReadonlyMap<string, OpenTurn> = new Map()
    const poll = (session: SeenSession, now: number) => {
      const folded = foldTurns(open, [session], now)
      open = folded.open
      return folded.ended
    }
    expect(poll(seen(false, 100), 0)).toEqual([])
    expect(poll(seen(true, 100), 10)).toEqual([])
    expect(poll(seen(true, 300), 20)).toEqual([])
    // Unknown is not over.
    expect(poll(seen(null, null), 25)).toEqual([])
    const [turn] = poll(seen(false, 500), 30)
    expect(turn).toMatchObject({ startMs: 10, used: { inputTokens: 400, outputTokens: 40, costUsd: 0.4 } })
    expect(turnAttributes(turn!)).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'openai',
      'gen_ai.conversation.id': 'app-1',
      'gen_ai.usage.input_tokens': 400,
    })
    expect(poll(seen(false, 500), 40)).toEqual([])
    // Restarted: it counts from zero again.
    poll(seen(true, 500), 50)
    expect(poll(seen(false, 20), 60)).toMatchObject([{ used: { inputTokens: 20 } }])
    poll(seen(true, null), 70)
    expect(poll(seen(false, null), 80)).toMatchObject([{ used: null }])
  })
})
