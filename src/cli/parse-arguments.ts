// argv of one command → its arguments and options, by its table. Written out rather than taken from a package: the
// smallest one costs more than all the rest of a start, and none of them lets a message begin with a dash.
import { AoError } from '../contract/errors.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import type { ArgumentSpecs, Command, CommandInput, OptionSpec, OptionSpecs } from './command.ts'

/** A quoted sentence or a list that starts with a dash is text, not an option. */
const LONG_OPTION = /^--([A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$/s
const SHORT_OPTIONS = /^-([A-Za-z]\S*)$/

export function parseArguments<A extends ArgumentSpecs, O extends OptionSpecs>(
  command: Command<A, O>,
  argv: readonly string[],
): CommandInput<A, O> {
  const options: Values = {}
  for (const [name, spec] of Object.entries(command.options))
    options[name] = spec.repeatable ? [] : spec.value ? undefined : false
  const words: string[] = []
  const left = [...argv]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') words.push(...left.splice(0))
    else if (LONG_OPTION.test(word)) takeLong(command, word, left, options)
    else if (SHORT_OPTIONS.test(word)) takeShort(command, word, left, options)
    else words.push(word)
  }
  return { args: assignWords(command, words), options } as CommandInput<A, O>
}

type Values = Record<string, string | string[] | boolean | undefined>

function takeValue(options: Values, name: string, value: string): void {
  const before = options[name]
  options[name] = Array.isArray(before) ? [...before, value] : value
}

function takeLong(command: Command, word: string, left: string[], options: Values): void {
  const [, name = '', value] = LONG_OPTION.exec(word) ?? []
  const spec = Object.hasOwn(command.options, name) ? command.options[name] : undefined
  if (!spec) throw unknownOption(command, `--${name}`)
  if (!spec.value && value !== undefined) throw usage(command, `The option --${name} takes no value`)
  if (spec.value) takeValue(options, name, value ?? nextValue(command, name, spec, left))
  else options[name] = true
}

/** `-a`, `-ab`, `-p value` and `-pvalue`. */
function takeShort(command: Command, word: string, left: string[], options: Values): void {
  for (let index = 1; index < word.length; index++) {
    const letter = word[index]!
    const entry = Object.entries(command.options).find(([, { short }]) => short === letter)
    if (!entry) throw unknownOption(command, `-${letter}`)
    const [name, spec] = entry
    if (spec.value) {
      takeValue(options, name, word.slice(index + 1) || nextValue(command, name, spec, left))
      return
    }
    options[name] = true
  }
}

function nextValue(command: Command, name: string, spec: OptionSpec, left: string[]): string {
  const value = left.shift()
  if (value === undefined) throw usage(command, `The option --${name} needs a value: <${spec.value}>`)
  if (value === '--' || LONG_OPTION.test(value) || SHORT_OPTIONS.test(value)) {
    throw usage(command, `The option --${name} needs a value, but ${value} follows`, {
      hint: `A value that starts with a dash is written --${name}=${value}`,
    })
  }
  return value
}

function unknownOption(command: Command, option: string): AoError {
  const known = Object.keys(command.options).map((name) => `--${name}`)
  const near = nearestWord(option, [...known, '--help'])
  const takesText = Object.values(command.args).some(({ variadic }) => variadic)
  const help = `See: ${command.program ?? 'ao'} ${command.name} --help${takesText ? '. Words that start with a dash go after --' : ''}`
  const hint = near ? `Did you mean ${near}?` : help
  return usage(command, `Unknown option: ${option}`, { hint })
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
  return new AoError('USAGE', message, {
    hint: options.hint ?? `See: ${command.program ?? 'ao'} ${command.name} --help`,
  })
}
