// Options of plugins that talk to a service over HTTP: what a plugin does not know is refused.
import * as z from 'zod/mini'

export const httpUrl = z
  .string()
  .check(z.regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, 'must be an http or https URL without user, query and #'))

/** Keys that every such plugin knows. */
export const httpKeys = {
  /** The share of the rate limit that ao may use; the rest is left for people and their tools. */
  rateShare: z.optional(z.number().check(z.positive(), z.maximum(1))),
  timeoutSeconds: z.optional(z.number().check(z.positive(), z.maximum(120))),
}

export interface HttpBounds {
  rateShare: number
  timeoutMs: number
}

export function boundsOf(options: { rateShare?: number | undefined; timeoutSeconds?: number | undefined }): HttpBounds {
  return { rateShare: options.rateShare ?? 0.5, timeoutMs: (options.timeoutSeconds ?? 30) * 1000 }
}

/** Is it this very machine? There a token travels to nobody else. */
export function isLoopback(url: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(url).hostname)
}
