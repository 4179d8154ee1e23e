// What a command is: data for parsing, help, completion, docs/commands.md, the rights inside sessions and the MCP server, and
// one function that runs it.
import type { Rights } from '../core/boundary/rights.ts'
import type { CommandTool } from '../mcp/command-tool.ts'
import type { Io } from './print/io.ts'

/** What completion may offer here. */
export type Completes = 'session' | 'project' | 'agent' | 'workspace' | 'file' | 'open-target' | readonly string[]

export interface OptionSpec {
  short?: string
  /** Name of its value; without one the option is a switch. */
  value?: string
  about: string
  completes?: Completes
  /** May be given several times; its value is then a list. */
  repeatable?: true
}

export interface ArgumentSpec {
  about: string
  required?: true
  /** Takes all that follow; must be the last one. */
  variadic?: true
  completes?: Completes
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>
/** In the order in which they are typed. */
export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>

export type OptionValues<O extends OptionSpecs> = {
  [K in keyof O]: O[K] extends { repeatable: true }
    ? string[]
    : O[K] extends { value: string }
      ? string | undefined
      : boolean
}
export type ArgumentValues<A extends ArgumentSpecs> = {
  [K in keyof A]: A[K] extends { variadic: true }
    ? string[]
    : A[K] extends { required: true }
      ? string
      : string | undefined
}

export interface CommandInput<A extends ArgumentSpecs, O extends OptionSpecs> {
  args: ArgumentValues<A>
  options: OptionValues<O>
}

export interface Command<A extends ArgumentSpecs = ArgumentSpecs, O extends OptionSpecs = OptionSpecs> {
  /** The program it belongs to; `ao` by default. */
  program?: 'agh' | undefined
  /** As typed: `session ls`. */
  name: string
  /** One line, without a full stop. */
  about: string
  /** Further sentences for `--help` and the documentation. */
  details?: string
  args: A
  options: O
  examples?: ReadonlyArray<{ line: string; about: string }>
  /** Shape of what `--json` prints, for the documentation. */
  json?: string
  /** What callers inside a session may do with it. Without this: nothing, it is for people. */
  inside?: Rights
  /** Without a session it means the surrounding one. */
  meansOwnSession?: true
  /** What an agent is advised to do that may not use it. */
  insideInstead?: string
  /** The same as a tool of the MCP server. */
  tool?: CommandTool
  /** The exit code, when it is not 0. `table` holds all commands of the program. */
  run(input: CommandInput<A, O>, io: Io, table: CommandTable): Promise<number | undefined>
  /** Instead of `run`, with the original argv: for a command that replaces another program. */
  runRaw?(argv: readonly string[], io: Io): Promise<number>
}

/** What is known of a command before it is loaded. */
export interface CommandEntry {
  /** As typed: `session ls`. */
  name: string
  group: string
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own argument and option types
  load(): Promise<Command<any, any>>
  /** Aliases: with as many words, such as the same command's name in the other program. */
  aliases?: readonly string[]
  /** Words that people try instead. They get a hint: the right name is worth knowing. */
  meantBy?: readonly string[]
  /** Not in help, completion or documentation. */
  hidden?: true
  /** It is a tool of the MCP server. */
  isTool?: true
}
export type CommandTable = readonly CommandEntry[]

/** What is declared of a command: without `args` or `options` it takes none. */
export type Declared<C extends { args: ArgumentSpecs; options: OptionSpecs }> = Omit<C, 'args' | 'options'> &
  Partial<Pick<C, 'args' | 'options'>>

export type None = Record<never, never>

/** Preserves the literal types of `args` and `options`, so that `run` gets exactly these. */
export function defineCommand<const A extends ArgumentSpecs = None, const O extends OptionSpecs = None>(
  command: Declared<Command<A, O>>,
): Command<A, O> {
  return { args: {} as A, options: {} as O, ...command }
}

export const JSON_OPTION = { about: 'Print JSON instead of text' } as const
export const PROJECT_OPTION = { short: 'p', value: 'id', about: 'Only this project', completes: 'project' } as const
