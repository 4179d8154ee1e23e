// What is wrong with a file that a person wrote, in words. zod/mini has none, so they are loaded when they are needed.
import type * as z from 'zod/mini'

export async function explainProblems(schema: z.ZodMiniType, value: unknown): Promise<string> {
  const { default: english } = await import('zod/v4/locales/en.js')
  const { error } = schema.safeParse(value, { error: english().localeError })
  const problems = (error?.issues ?? []).map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return problems.join('; ')
}
