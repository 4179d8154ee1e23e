// The option `prices` of agent plugins: rows that add to or replace the price table, in dollars per million tokens.
import * as z from 'zod/mini'

const dollars = z.number().check(z.minimum(0, 'must be a price in dollars per million tokens'))

export const priceOptions = z.strictObject({
  prices: z.optional(
    z.record(z.string(), z.strictObject({ input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars })),
  ),
})
