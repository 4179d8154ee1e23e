// What the commands of agh share: the connection to the daemon, and `-o human|json|jsonl`.
import { AoError } from '../../contract/errors.ts'
import {
  type ArgumentSpecs,
  type Command,
  type CommandInput,
  type Declared,
  defineCommand,
  type None,
  type OptionSpecs,
} from '../command.ts'
import type { Io } from '../print/io.ts'
import { type Column, renderTable } from '../print/table.ts'
import { type Agh, openAgh } from './open-agh.ts'

export type OutputFormat = 'human' | 'json' | 'jsonl'

export const OUTPUT_OPTIONS = {
  output: { short: 'o', value: 'format', about: 'human, json or jsonl', completes: ['human', 'json', 'jsonl'] },
  json: { about: 'The same as -o json' },
} as const

export const SESSION_ARGUMENT = {
  about: 'Session: its id, the beginning of it, or its name',
  required: true,
  completes: 'session',
} as const

export interface AghInput<A extends ArgumentSpecs, O extends OptionSpecs>
  extends CommandInput<A, O & typeof OUTPUT_OPTIONS> {
  io: Io
  agh: Agh
  format: OutputFormat
  /** One object; one line as jsonl. */
  show(value: object, human: () => readonly string[]): void
  /** Many: a table for people, one line each as jsonl, `whole` as JSON. */
  showTable<T>(list: { whole: object; rows: readonly T[]; columns: Column<T>[]; empty?: string }): void
}

interface AghCommand<A extends ArgumentSpecs, O extends OptionSpecs> extends Omit<Command<A, O>, 'program' | 'run'> {
  /** The default format. */
  defaultFormat?: OutputFormat
  run(input: AghInput<A, O>): Promise<number | undefined>
}

/** A command with the options for its output. */
export function aghCommand<const A extends ArgumentSpecs = None, const O extends OptionSpecs = None>(
  command: Declared<AghCommand<A, O>>,
) {
  const { defaultFormat = 'human', ...rest } = command
  return defineCommand({
    ...rest,
    program: 'agh',
    options: { ...command.options, ...OUTPUT_OPTIONS } as O & typeof OUTPUT_OPTIONS,
    async run(input, io) {
      const { output, json } = input.options as { output: string | undefined; json: boolean }
      const format = readFormat(output ?? (json ? 'json' : defaultFormat))
      const agh = openAgh(io)
      const show: AghInput<A, O>['show'] = (value, human) => printOne(io, format, value, human)
      const code = await command.run({
        ...input,
        args: await resolveArguments(agh, input.args),
        io,
        agh,
        format,
        show,
        showTable({ whole, rows, columns, empty }) {
          if (format === 'jsonl') io.printLines(rows.map((row) => JSON.stringify(row)))
          else if (format === 'human' && rows.length === 0 && empty !== undefined) io.note(empty)
          else show(whole, () => renderTable(columns, rows, { width: io.width() }))
        },
      })
      return code ?? 0
    },
  })
}

/** Wherever a command takes a session, people may use its name. */
async function resolveArguments<T extends object>(agh: Agh, args: T): Promise<T> {
  const { session } = args as { session?: unknown }
  return typeof session === 'string' ? { ...args, session: await agh.resolve(session) } : args
}

function readFormat(format: string): OutputFormat {
  if (format === 'human' || format === 'json' || format === 'jsonl') return format
  throw new AoError('USAGE', `There is no output format ${format}`, { hint: 'Choose human, json or jsonl' })
}

function printOne(io: Io, format: OutputFormat, value: object, human: () => readonly string[]): void {
  if (format === 'human') io.printLines(human())
  else if (format === 'json') io.json(value)
  else io.print(JSON.stringify(value))
}

/** A workspace is a name or a directory; `cwd` by default. */
export function readWorkspace(options: { workspace: string | undefined; cwd: string | undefined }, command: string) {
  if (options.workspace === undefined || options.cwd === undefined) return options
  throw new AoError('USAGE', 'Give --workspace or --cwd, not both', { hint: `See: agh ${command} --help` })
}

export function oneOf<T extends string>(
  option: string,
  word: string | undefined,
  choices: readonly T[],
): T | undefined {
  const found = choices.find((one) => one === word)
  if (word === undefined || found !== undefined) return found
  throw new AoError('USAGE', `${option} takes one of ${choices.join(', ')}, not ${word}`, {
    hint: `Write: ${option} ${choices[0]}`,
  })
}
