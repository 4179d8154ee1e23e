// argv of one command → its arguments and options, by its table. Node's own parser splits; the table judges.
import { parseArgs } from 'node:util'
import { AoError } from '../contract/errors.ts'
import { nearestWord } from '../core/nearest-word.ts'
import type { ArgumentSpecs, Command, CommandInput, OptionSpecs } from './command.ts'

/** A quoted sentence that starts with a dash is text, not an option. */
const LOOKS_LIKE_OPTION = /^(?:--[A-Za-z][A-Za-z0-9-]*(?:=|$)|-[A-Za-z][^\s]*$)/

export function parseArguments<A extends ArgumentSpecs, O extends OptionSpecs>(
  command: Command<A, O>,
  argv: readonly string[],
): CommandInput<A, O> {
  const options: Record<string, string | boolean | undefined> = {}
  for (const [name, spec] of Object.entries(command.options)) options[name] = spec.value ? undefined : false
  const words: string[] = []
  let lastText = -1
  for (const token of tokenize(command, argv)) {
    if (token.kind === 'option-terminator') continue
    const raw = argv[token.index]!
    if (token.kind === 'positional') words.push(token.value)
    else if (LOOKS_LIKE_OPTION.test(raw)) options[token.name] = optionValue(command, token)
    // Several short options in one word share its index: the word is taken once.
    else if (lastText !== token.index) words.push(raw)
    lastText = token.index
  }
  return { args: assignWords(command, words), options } as CommandInput<A, O>
}

type Token = ReturnType<typeof tokenize>[number]
type OptionToken = Extract<Token, { kind: 'option' }>

function tokenize(command: Command, argv: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, spec]) => [
      name,
      { type: spec.value ? ('string' as const) : ('boolean' as const), ...(spec.short ? { short: spec.short } : {}) },
    ]),
  )
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

function optionValue(command: Command, token: OptionToken): string | boolean {
  const spec = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined
  if (!spec) throw unknownOption(command, token.rawName)
  if (!spec.value) {
    if (token.value !== undefined) throw usage(command, `The option ${token.rawName} takes no value`)
    return true
  }
  if (token.value === undefined) throw usage(command, `The option ${token.rawName} needs a value: <${spec.value}>`)
  if (!token.inlineValue && LOOKS_LIKE_OPTION.test(token.value)) {
    throw usage(command, `The option ${token.rawName} needs a value, but the option ${token.value} follows`, {
      hint: `A value that starts with a dash is written --${token.name}=${token.value}`,
    })
  }
  return token.value
}

function unknownOption(command: Command, rawName: string): AoError {
  const known = Object.keys(command.options).map((name) => `--${name}`)
  const near = nearestWord(rawName, [...known, '--help'])
  const hint = near ? `Did you mean ${near}?` : undefined
  return usage(command, `Unknown option: ${rawName}`, hint ? { hint } : {})
}

function assignWords(command: Command, words: string[]): Record<string, string | string[] | undefined> {
  const args: Record<string, string | string[] | undefined> = {}
  const left = [...words]
  for (const [name, spec] of Object.entries(command.args)) {
    args[name] = spec.variadic ? left.splice(0) : left.shift()
    const missing = spec.variadic ? args[name]?.length === 0 : args[name] === undefined
    if (spec.required && missing) throw usage(command, `The argument <${name}> is missing: ${spec.about}`)
  }
  if (left.length > 0) throw usage(command, `Unexpected argument: ${left[0]}`)
  return args
}

function usage(command: Command, message: string, options: { hint?: string } = {}): AoError {
  return new AoError('USAGE', message, { hint: options.hint ?? `See: ao ${command.name} --help` })
}
