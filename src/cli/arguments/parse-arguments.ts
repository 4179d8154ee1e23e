// argv → words and options, by the one lexer (for commands, completion, `--config`, `--json` and the `gh` facade), and from these
// the arguments and options of one command, by its table. Our own table rather than a package: it also feeds help, completion and
// docs, and commander alone costs 17 ms of a start (bare node: 24 ms).
import { parseArgs } from 'node:util'
import { AoError } from '../../contract/errors.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import type { ArgumentSpecs, Command, CommandInput, OptionSpecs } from '../command.ts'

export interface LexedOption {
  short?: string | undefined
  /** It takes a value. */
  value?: unknown
}

export type Token =
  | { kind: 'word'; text: string; index: number }
  | { kind: 'option'; name: string; raw: string; value: string | undefined; isInline: boolean; index: number }
  | { kind: 'terminator'; index: number }

const OPTION = /^(?:--[A-Za-z][A-Za-z0-9-]*(?:=.*)?|-[A-Za-z]\S*)$/s

function isOption(word: string): boolean {
  return OPTION.test(word)
}

/**
 * `index` is the position in argv. Judges nothing: unknown options are tokens like others, a missing value is undefined. The
 * only thing that parseArgs does not support: a quoted sentence or a list that starts with a dash is text.
 */
export function lexArgv(argv: readonly string[], options: Record<string, LexedOption>): Token[] {
  const { tokens } = parseArgs({
    // A word that is not an option, whatever it looks like, is replaced by its position and put back below.
    args: argv.map((word, index) => (isOption(word) || word === '--' ? word : String(index))),
    options: Object.fromEntries(
      Object.entries(options).map(([name, { short, value }]) => [
        name,
        { type: value ? 'string' : 'boolean', ...(short ? { short } : {}) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  return tokens.map((token): Token => {
    if (token.kind === 'positional') return { kind: 'word', text: argv[token.index]!, index: token.index }
    if (token.kind === 'option-terminator') return { kind: 'terminator', index: token.index }
    const { name, rawName: raw, index } = token
    const isInline = token.inlineValue === true
    const value = token.value === undefined || isInline ? token.value : argv[index + 1]
    return { kind: 'option', name, raw, value, isInline, index }
  })
}

/** `--config <file>`, which works with every command and also before it. */
export function takeConfigOption(argv: readonly string[]): { argv: string[]; configPath: string | undefined } {
  const found = lexArgv(argv, { config: { value: 'file' } }).find(isConfig)
  if (!found) return { argv: [...argv], configPath: undefined }
  return { argv: argv.toSpliced(found.index, found.isInline ? 1 : 2), configPath: found.value }
}

function isConfig(token: Token): token is Token & { kind: 'option' } {
  return token.kind === 'option' && token.name === 'config'
}

export function parseArguments<A extends ArgumentSpecs, O extends OptionSpecs>(
  command: Command<A, O>,
  argv: readonly string[],
): CommandInput<A, O> {
  const options: Values = {}
  for (const [name, spec] of Object.entries(command.options))
    options[name] = spec.repeatable ? [] : spec.value ? undefined : false
  const positionals: string[] = []
  for (const token of lexArgv(argv, command.options)) {
    if (token.kind === 'word') positionals.push(token.text)
    if (token.kind === 'option') takeOption(command, token, options)
  }
  return { args: assignPositionals(command, positionals), options } as CommandInput<A, O>
}

type Values = Record<string, string | string[] | boolean | undefined>

function takeOption(command: Command, token: Token & { kind: 'option' }, options: Values): void {
  const { name, raw, value, isInline } = token
  const spec = Object.hasOwn(command.options, name) ? command.options[name] : undefined
  if (!spec) throw unknownOption(command, raw)
  if (!spec.value) {
    if (value !== undefined) throw usage(command, `The option --${name} takes no value`)
    options[name] = true
    return
  }
  if (value === undefined) throw usage(command, `The option --${name} needs a value: <${spec.value}>`)
  if (!isInline && (value === '--' || isOption(value))) {
    throw usage(command, `The option --${name} needs a value, but ${value} follows`, {
      hint: `A value that starts with a dash is written --${name}=${value}`,
    })
  }
  const before = options[name]
  options[name] = Array.isArray(before) ? [...before, value] : value
}

function unknownOption(command: Command, option: string): AoError {
  const flags = Object.keys(command.options).map((name) => `--${name}`)
  const near = nearestWord(option, [...flags, '--help'])
  const takesText = Object.values(command.args).some(({ variadic }) => variadic)
  const help = `See: ${command.program ?? 'ao'} ${command.name} --help${takesText ? '. Words that start with a dash go after --' : ''}`
  const hint = near ? `Did you mean ${near}?` : help
  return usage(command, `Unknown option: ${option}`, { hint })
}

function assignPositionals(command: Command, positionals: string[]): Record<string, string | string[] | undefined> {
  const args: Record<string, string | string[] | undefined> = {}
  const left = [...positionals]
  for (const [name, spec] of Object.entries(command.args)) {
    args[name] = spec.variadic ? left.splice(0) : left.shift()
    const missing = spec.variadic ? args[name]?.length === 0 : args[name] === undefined
    if (spec.required && missing) throw usage(command, `The argument <${name}> is missing: ${spec.about}`)
  }
  if (left.length > 0) throw usage(command, `Unexpected argument: ${left[0]}`)
  return args
}

function usage(command: Command, message: string, options: { hint?: string } = {}): AoError {
  return new AoError('USAGE', message, {
    hint: options.hint ?? `See: ${command.program ?? 'ao'} ${command.name} --help`,
  })
}
