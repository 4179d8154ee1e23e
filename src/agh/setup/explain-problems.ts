// Explains what is wrong with a file a person wrote. zod/mini has no messages, so they are loaded on demand.
import type * as z from 'zod/mini'

export async function explainProblems(schema: z.ZodMiniType, value: unknown): Promise<string> {
  const { default: english } = await import('zod/v4/locales/en.js')
  const { error } = schema.safeParse(value, { error: english().localeError })
  const problems = (error?.issues ?? []).map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return problems.join('; ')
}
