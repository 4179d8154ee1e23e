// Parts of the configuration's schema that its files share: each key says what it is for.
import * as z from 'zod/mini'

export const described = <T extends z.ZodMiniType>(schema: T, description: string): T =>
  schema.check(z.describe(description)) as T

export const text = (about: string) => described(z.optional(z.string()), about)
export const texts = (about: string) => described(z.optional(z.array(z.string())), about)

export const wholeNumber = (from: number, to: number = Number.MAX_SAFE_INTEGER) =>
  z.int().check(z.minimum(from), z.maximum(to))
