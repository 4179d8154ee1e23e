// What the commands of agh share: the daemon, asked and found again, which session is meant, and `-o human|json|jsonl`.
import { type AskArguments, type Call, callAnyDaemon, type RouteName } from '../../agh/client.ts'
import { type AghPaths, aghPaths } from '../../agh/paths.ts'
import { AoError } from '../../contract/errors.ts'
import { isWholeAghId } from '../../contract/ids.ts'
import { matchSession } from '../../core/agh/match-session.ts'
import type { AskExtras } from '../../http/route-client.ts'
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
import { isLost, type Link, reconnect, signatureOf, unanswered, withDaemon } from './daemon-link.ts'

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

export interface Agh {
  /** To follow events with, see daemon-link.ts. */
  link: Link
  paths: AghPaths
  call: Call
  /** The session id for an id, an id prefix, or a name. */
  resolve(reference: string): Promise<string>
}

/** `note` reports changes of the connection. */
export function openAgh(io: Io, note: (line: string) => void = io.note): Agh {
  const link: Link = { paths: aghPaths(io.env, io.home), io, note, met: false, isOlder: false }
  const call: Call = (name, ...ask) => {
    const act = () => callAnyDaemon(link.paths.socket, () => noteOlder(link), name, ...signed(link, ask))
    return withDaemon(link, act).catch((error) => {
      if (!isLost(error)) throw error
      // Only a read can be repeated.
      if (!name.startsWith('GET ')) throw unanswered(error)
      return reconnect(link).then(act)
    })
  }
  return {
    link,
    paths: link.paths,
    call,
    resolve: (reference) => resolveSession(call, reference),
  }
}

function noteOlder(link: Link): void {
  if (!link.isOlder) link.note('The agh daemon is older than this command. Start it anew with: agh daemon restart')
  link.isOlder = true
}

function signed<N extends RouteName>(link: Link, [ask]: AskArguments<N>): AskArguments<N> {
  const { headers, ...rest } = (ask ?? {}) as AskExtras
  return [{ ...rest, headers: { ...signatureOf(link), ...headers } }] as unknown as AskArguments<N>
}

async function resolveSession(call: Call, reference: string): Promise<string> {
  if (isWholeAghId(reference)) return reference
  const { sessions, damaged } = await call('GET /api/sessions')
  const broken = damaged.map(({ session_id }) => ({ id: session_id, name: null, state: 'damaged' }))
  const match = matchSession(reference, [...sessions, ...broken])
  if (match.kind === 'one') return match.id
  if (match.kind === 'none') return reference
  throw new AoError('SESSION_AMBIGUOUS', `${reference} means ${match.ids.length} sessions: ${match.ids.join(', ')}`)
}
