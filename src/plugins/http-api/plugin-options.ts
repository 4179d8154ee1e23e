// Options of plugins that talk to a service over HTTP: unknown options are refused.
import * as z from 'zod/mini'

export const httpUrl = z
  .string()
  .check(z.regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, 'must be an http or https URL without user, query and #'))

export const hostName = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?$/, 'must be a host name'))

/** Keys that every such plugin knows. */
export const httpKeys = {
  /** The share of the rate limit that ao may use; the rest is left for people and their tools. */
  rateShare: z.optional(z.number().check(z.positive(), z.maximum(1))),
  timeoutSeconds: z.optional(z.number().check(z.positive(), z.maximum(120))),
}

/** Keys that both plugins of a forge know; `scm` adds its own. */
export const forgeKeys = {
  ...httpKeys,
  host: z.optional(hostName),
  /** Where the API is not at its usual path of the host. */
  apiUrl: z.optional(httpUrl),
}

export interface HttpOptions {
  rateShare?: number | undefined
  timeoutSeconds?: number | undefined
}
