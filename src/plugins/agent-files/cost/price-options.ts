// The option `prices` of agent plugins: rows that add to or replace the price table.
import * as z from 'zod/mini'
import { AoError } from '../../../contract/errors.ts'
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
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys : []
  const where = [...(issue?.path ?? []), ...unknown].join('.')
  throw new AoError('CONFIG_INVALID', `The agent plugin ${plugin} does not understand its option ${where}`, {
    hint: 'Its only option is prices: { <model>: { input, output, cacheRead, cacheWrite } }, in dollars per million tokens',
    details: { plugin, option: where },
  })
}
