import { describe, expect, it } from 'vitest'
import { costOf, emptyUsage, PRICES, PRICES_AS_OF, priceOf, totalCost } from './prices.ts'

const million = { ...emptyUsage(), inputTokens: 1_000_000, outputTokens: 1_000_000 }

describe('the price of a model', () => {
  it.each([
    ['claude-opus-5-5', 'claude-opus-5-5'],
    ['claude-opus-4-5-20251101', 'claude-opus-4-5'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-4'],
    ['claude-sonnet-4-5[1m]', 'claude-sonnet-4-5'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku'],
    ['anthropic/claude-haiku-4-5', 'claude-haiku-4-5'],
    ['gpt-5.2-codex', 'gpt-5.2-codex'],
    ['gpt-5-2025-08-07', 'gpt-5'],
    ['GPT-5', 'gpt-5'],
  ])('%s is priced as %s', (model, row) => {
    expect(priceOf(model)).toBe(PRICES[row])
  })

  it.each(['gpt-5.9', 'gpt-5-turbo-max', 'claude-opus-6', 'claude-opus-4-9', 'llama', '', '<synthetic>', '__proto__'])(
    '%s has no price, because it is another model',
    (model) => expect(priceOf(model)).toBeNull(),
  )

  it('takes rows of the user first', () => {
    const own = {
      'gpt-5': { input: 9, output: 9, cacheRead: 9, cacheWrite: 9 },
      local: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    }
    expect(priceOf('gpt-5', own)).toBe(own['gpt-5'])
    expect(priceOf('gpt-5-codex', own)).toBe(PRICES['gpt-5-codex'])
    expect(priceOf('ollama/local', own)).toBe(own.local)
  })

  it('is dated, and dearer for output than for input, dearer for input than from the cache', () => {
    expect(PRICES_AS_OF).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    for (const [model, { input, output, cacheRead, cacheWrite }] of Object.entries(PRICES)) {
      expect(output, model).toBeGreaterThan(input)
      expect(cacheRead, model).toBeLessThan(input)
      expect(cacheWrite, model).toBeGreaterThanOrEqual(input)
    }
  })
})

describe('the cost of tokens', () => {
  it('counts input, output and both caches', () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 1_000_000,
      cacheReadTokens: 1_000_000,
      cacheWriteTokens: 3_000_000,
      cacheWriteLongTokens: 1_000_000,
    }
    const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2, cacheWriteLong: 4 }
    expect(costOf(usage, price)).toBeCloseTo(1 + 10 + 0.1 + 2 * 2 + 4)
  })

  it('is null, never 0, as soon as one model is unknown', () => {
    const priced = { model: 'gpt-5', usage: million }
    expect(totalCost([priced]).estimatedCostUsd).toBeCloseTo(11.25)
    const mixed = totalCost([priced, { model: 'mystery', usage: million }])
    expect(mixed).toMatchObject({ inputTokens: 2_000_000, estimatedCostUsd: null })
    // The agent's own figures help out; a model without a token costs nothing.
    expect(totalCost([{ model: 'mystery', usage: million, reportedCostUsd: 3 }]).estimatedCostUsd).toBe(3)
    expect(totalCost([priced, { model: 'mystery', usage: emptyUsage() }]).estimatedCostUsd).toBeCloseTo(11.25)
  })
})
