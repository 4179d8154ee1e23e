// The option `prices` of agent plugins: rows that add to or replace the price table.
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
import type { PriceTable } from './prices.ts'

const dollars = z.number().check(z.minimum(0))

const optionsSchema = z.strictObject({
  prices: z.optional(
    z.record(z.string(), z.strictObject({ input: dollars, output: dollars, cacheRead: dollars, cacheWrite: dollars })),
  ),
})

/** Refuses options that the plugin does not know. */
export function readPriceOptions(plugin: string, options: Record<string, unknown>): PriceTable {
  const parsed = optionsSchema.safeParse(options)
  if (parsed.success) return parsed.data.prices ?? {}
  const issue = parsed.error.issues[0]
  const where = [plugin, ...(issue?.path ?? [])].join('.')
  throw new AoError('CONFIG_INVALID', `Options of the agent plugin ${where}: ${issue?.message ?? 'not understood'}`, {
    details: { plugin },
  })
}
