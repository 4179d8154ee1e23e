// The local forge's configuration: `scm: { plugin: local, … }`.
import * as z from 'zod/mini'
import { AoError } from '../contract/errors.ts'
import type { MergeMethod } from '../contract/forges.ts'
import type { GateRule } from '../core/landing/judge-change.ts'
import type { GatePlace } from '../core/landing/where-gates-run.ts'
import type { CheckCommand } from './pulls/pull-checks.ts'

export interface CiCommand extends CheckCommand {
  timeoutMs: number
  /** A gate that ao answers itself, from what the pull request changes; `run` only describes it. */
  rule?: GateRule | undefined
  /** Of a gate's command. Absent: always on this machine. */
  where?: GatePlace | undefined
}

/** Programs judge a commit, rules what it changes since another one: their results belong to both. */
export function commandsSince<Command extends CiCommand>(commands: readonly Command[], from: string): Command[] {
  return commands.map((command) => (command.rule === undefined ? command : { ...command, since: from }))
}

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
