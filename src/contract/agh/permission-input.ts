// What an agent will do if it is allowed to, as the request itself says it rather than the agent's words about it.
import * as z from 'zod/mini'

/** screen: what stands above the question in a terminal. */
const INPUT_KINDS = ['command', 'path', 'url', 'arguments', 'screen'] as const

export const permissionInputSchema = z.object({
  kind: z.enum(INPUT_KINDS),
  text: z.string(),
  /** Everything else that it would be called with, as JSON. */
  rest: z.optional(z.string()),
  /** The agent's title says something else. */
  differs: z.optional(z.boolean()),
})
export type PermissionInput = z.infer<typeof permissionInputSchema>
