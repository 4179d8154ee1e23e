// The local forge's configuration: `scm: { plugin: local, … }`.
import * as z from 'zod/mini'
import { AoError } from '../contract/errors.ts'
import type { MergeMethod } from '../contract/forges.ts'
import type { CiCommand } from '../landing/checks/check-store.ts'

export interface ForgeOptions {
  ci: CiCommand[]
  merge: MergeMethod
}

const DEFAULT_TIMEOUT_S = 600

const filled = z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(10_000, 'is too long'))
const command = z.strictObject({
  name: filled.check(z.maxLength(100, 'may have 100 characters at most'), z.regex(/^[^\n\t]*$/, 'must be one line')),
  run: filled,
  timeout: z.optional(
    z.number().check(z.positive('must be a number of seconds'), z.maximum(86_400, 'may be a day at most')),
  ),
})
export const forgeOptions = z.strictObject({
  ci: z.optional(z.strictObject({ commands: z.array(command).check(z.maxLength(50, 'may hold 50 commands at most')) })),
  merge: z.optional(z.enum(['squash', 'merge', 'rebase'])),
})

export function readForgeOptions({ ci, merge }: z.infer<typeof forgeOptions>): ForgeOptions {
  const commands = ci?.commands ?? []
  const twice = commands.find(({ name }, index) => commands.findIndex((one) => one.name === name) !== index)
  if (twice) {
    throw new AoError('CONFIG_INVALID', `Options of the scm plugin local: two ci.commands are named ${twice.name}`)
  }
  return {
    ci: commands.map(({ name, run, timeout }) => ({ name, run, timeoutMs: (timeout ?? DEFAULT_TIMEOUT_S) * 1000 })),
    merge: merge ?? 'squash',
  }
}
