// One command from argv to exit code, for whoever may run it. The only module where errors become text.
import { isAbsolute } from 'node:path'
import { AoError, hintFor } from '../contract/errors.ts'
import { explainError } from '../contract/explain-error.ts'
import { type Caller, refuseCommand } from '../core/boundary/rights.ts'
import { findCaller } from '../inside/find-caller.ts'
import { lexArgv, parseArguments, takeConfigOption } from './arguments/parse-arguments.ts'
import type { Command, CommandTable } from './command.ts'
import { findCommand, loadGroups } from './command-table.ts'
import type { Overview } from './help.ts'
import { createIo, type Io } from './print/io.ts'
import { chooseJson, selectJson } from './print/select-json.ts'

export interface RunOptions {
  /** Which program's help and hints; `ao` by default. */
  overview?: Overview
  /** Throws when the caller may not use the command. */
  permit?(command: Command, args: Readonly<Record<string, unknown>>): void
  /** The id of the session that a person has named so; null: there is none. */
  findSession?(name: string, io: Io): Promise<string | null>
  /** What a person gets who types the program's name alone on a terminal; null: its help. */
  alone?(io: Io): Promise<number | null>
  /** For a word that is no command: runs a person's own, or says which words it stands for; null: there is none. */
  runOther?(argv: readonly string[], io: Io): Promise<number | readonly string[] | null>
}

export interface Program extends RunOptions {
  table: CommandTable
  takesConfig?: boolean
}

/** The whole program: runs the command that argv names, and ends the process with its exit code. */
export async function runProgram({ table, takesConfig = false, ...options }: Program): Promise<never> {
  const given = process.argv.slice(2)
  const { argv, configPath } = takesConfig ? takeConfigOption(given) : { argv: given, configPath: undefined }
  const io = createIo(process, { configPath })
  const caller = findCaller(io)
  const code = await run(table, argv, io, {
    ...options,
    ...permitCaller(caller, options.overview?.program ?? 'ao', io),
  })
  // A plugin may have left a handle open; the command is over all the same.
  process.exit(code)
}

/** What an agent may run inside its session. null: a person, who may run everything. */
function permitCaller(caller: Caller | null, program: 'ao' | 'agh', io: Io): Pick<RunOptions, 'permit'> {
  if (caller === null) return {}
  // Whatever the agent set these variables to: from here on they identify it.
  io.env = { ...io.env, ...identity(caller) }
  return {
    permit(command, args) {
      const session = typeof args.session === 'string' ? args.session : undefined
      const why = refuseCommand(caller, {
        program,
        command,
        session: session ?? (command.meansOwnSession ? caller.sessionId : undefined),
      })
      if (why === null) return
      throw new AoError('ROLE_REFUSED', why, {
        hint: caller.kind === 'agent' ? command.insideInstead : undefined,
        details: { command: command.name, session: caller.sessionId, role: caller.kind },
      })
    },
  }
}

function identity({ kind, sessionId, token }: Caller): NodeJS.ProcessEnv {
  const agh = token === null ? {} : { AGH_SESSION_TOKEN: token }
  if (kind === 'agent') return agh
  return { ...agh, AO_SESSION: sessionId, AO_CALLER_TYPE: kind === 'worker' ? 'agent' : kind }
}

export async function run(
  table: CommandTable,
  argv: readonly string[],
  io: Io,
  options: RunOptions = {},
): Promise<number> {
  const code = await runCommand(table, argv, io, options)
  try {
    await io.end()
    return code
  } catch (error) {
    // Whatever was done is done; what stdout lacks is said on stderr, also with `--json`.
    return code || reportError(error, io, { json: false, program: options.overview?.program ?? 'ao' })
  }
}

async function runCommand(
  table: CommandTable,
  given: readonly string[],
  io: Io,
  { overview, permit, findSession, alone, runOther }: RunOptions,
): Promise<number> {
  let command: Command | undefined
  let argv = given
  try {
    requireHome(io)
    // What an agent put on its PATH is run by its name, not by ours.
    if (runOther && !permit && isOther(table, argv)) {
      const other = await runOther(argv, io)
      if (typeof other === 'number') return other
      argv = other ?? argv
    }
    const found = findCommand(table, argv.slice(leadingOptions(argv)), overview?.program)
    if (argv.length === 0 && alone && !permit && io.isTerminal && io.stdin.isTTY) {
      const code = await alone(io)
      if (code !== null) return code
    }
    if (found.kind === 'help') return await printHelp(table, found.topic, io, overview)
    command = await found.entry.load()
    const rest = [...argv.slice(0, leadingOptions(argv)), ...found.rest]
    if (command.runRaw) {
      permit?.(command, {})
      return await command.runRaw(rest, io)
    }
    if (asksForHelp(command, rest)) return await printCommandHelp(command, io)
    const { argv: given, jq } = chooseJson(command, rest, io.env)
    const input = parseArguments(command, given)
    if (findSession) await replaceNames(command, input.args, (name) => findSession(name, io))
    permit?.(command, input.args)
    if (jq === null) return (await command.run(input, io, table)) ?? 0
    const selecting = selectJson(io, jq)
    const code = (await command.run(input, selecting.io, table)) ?? 0
    await selecting.done()
    return code
  } catch (error) {
    const options = { json: asksForJson(command, argv), program: overview?.program ?? 'ao', command: command?.name }
    return reportError(error, io, options)
  }
}

function isOther(table: CommandTable, [first = '']: readonly string[]): boolean {
  if (first === 'help' || !/^\w/.test(first)) return false
  return !table.some(({ name, aliases = [] }) => [name, ...aliases].some((one) => one.split(' ')[0] === first))
}

/** As ids of sessions end. */
const SESSION_ID = /^[\w-]+-(?:[1-9][0-9]*|orchestrator)$/

/** Before rights are decided, which are about ids. */
async function replaceNames(
  command: Command,
  args: Record<string, unknown>,
  findSession: (name: string) => Promise<string | null>,
): Promise<void> {
  for (const [name, { completes }] of Object.entries(command.args)) {
    const reference = args[name]
    if (completes === 'session' && typeof reference === 'string' && !SESSION_ID.test(reference))
      args[name] = (await findSession(reference)) ?? reference
  }
}

const OUTPUT_OPTIONS = { json: {}, output: { short: 'o', value: 'format' } }

/** How many words before the command choose its output, as in `ao --json status`. */
function leadingOptions(argv: readonly string[]): number {
  const tokens = lexArgv(argv, { ...OUTPUT_OPTIONS, jq: { value: 'expression' } })
  const end = tokens.findIndex((token) => token.kind !== 'option' || !['json', 'output', 'jq'].includes(token.name))
  return end === -1 ? argv.length : tokens[end]!.index
}

/** Relative to what? Records would be created below every directory that ao is run in. */
function requireHome({ env, home }: Io): void {
  if (isAbsolute(home)) return
  const name = env.AO_HOME ? 'AO_HOME' : 'HOME'
  throw new AoError('USAGE', `${name} is ${JSON.stringify(home)}, which is not an absolute path`, {
    hint: `Set ${name} to a directory of your own, for example: export ${name}=/home/you`,
  })
}

/** Even when the command is unknown or its line is invalid: a caller that wants JSON gets the error as JSON. */
function asksForJson(command: Command | undefined, argv: readonly string[]): boolean {
  return lexArgv(argv, { ...OUTPUT_OPTIONS, ...command?.options }).some(
    (token) =>
      token.kind === 'option' &&
      (token.name === 'json' || (token.name === 'output' && /^jsonl?$/.test(token.value ?? ''))),
  )
}

/** Text for people on stderr; with `--json` the one error object on stdout, where the result would have been. */
function reportError(
  error: unknown,
  io: Io,
  options: { json: boolean; program: string; command?: string | undefined },
): number {
  const explained = explainError(error, options.program)
  const general = hintFor(explained, options.program)
  const ofAll = ` ${options.program} --help`
  // Of the options of all commands nobody wants to read.
  const hint =
    explained.code === 'USAGE' && options.command !== undefined && general?.endsWith(ofAll)
      ? `See: ${options.program} ${options.command} --help`
      : general
  if (options.json) io.json(withHint(explained, hint))
  else {
    io.note(`${io.noteStyle.red('error:')} ${explained.message}`)
    if (hint) io.note(`${io.noteStyle.cyan('hint:')} ${hint}`)
  }
  if (io.env[options.program === 'agh' ? 'AGH_LOG_LEVEL' : 'AO_LOG_LEVEL'] === 'debug')
    io.note(process.getBuiltinModule('node:util').inspect(error))
  return explained.exitCode
}

function withHint(error: AoError, hint: string | undefined): object {
  const { code, message, details } = error.toJSON().error
  return { error: { code, message, hint, details } }
}

async function printHelp(table: CommandTable, topic: string | null, io: Io, overview?: Overview): Promise<number> {
  const { renderOverview } = await import('./help.ts')
  const groups = (await loadGroups(table)).map((group) => ({
    ...group,
    commands: group.commands.filter(({ name }) => topic === null || name.startsWith(`${topic} `)),
  }))
  io.print(
    renderOverview(
      groups.filter(({ commands }) => commands.length > 0),
      io.style,
      overview,
    ),
  )
  return 0
}

async function printCommandHelp(command: Command, io: Io): Promise<number> {
  const { renderCommandHelp } = await import('./help.ts')
  io.print(renderCommandHelp(command, io.style))
  return 0
}

function asksForHelp(command: Command, argv: readonly string[]): boolean {
  return lexArgv(argv, { ...command.options, help: { short: 'h' } }).some(
    (token) => token.kind === 'option' && token.name === 'help',
  )
}
