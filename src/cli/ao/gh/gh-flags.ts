// gh's own way of writing flags: `--json a,b`, `--json=a,b`, `-b text`, `-btext`, in any order with words.
import { lexArgv, type Token } from '../../lex-argv.ts'
import { GhError } from './gh-error.ts'

export interface Flag {
  short?: string
  /** It takes a value. */
  value?: true
}

export interface GhArguments<F extends Record<string, Flag>> {
  words: string[]
  /** The last value of a flag. */
  value(name: keyof F & string): string | undefined
  values(name: keyof F & string): string[]
  has(name: keyof F & string): boolean
}

/** On every command. */
const EVERYWHERE: Record<string, Flag> = { repo: { short: 'R', value: true } }

export function parseFlags<F extends Record<string, Flag>>(argv: readonly string[], own: F): GhArguments<F> {
  const flags: Record<string, Flag> = { ...EVERYWHERE, ...own }
  const given = new Map<string, string[]>()
  const words: string[] = []
  for (const token of lexArgv(argv, flags)) {
    if (token.kind === 'word') words.push(token.text)
    if (token.kind === 'option')
      given.set(token.name, [...(given.get(token.name) ?? []), flagValue(token, flags, argv)])
  }
  return {
    words,
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
    has: (name) => given.has(name) && given.get(name)?.at(-1) !== 'false',
  }
}

function flagValue(token: Token & { kind: 'option' }, flags: Record<string, Flag>, argv: readonly string[]): string {
  const { name, raw, value, index } = token
  const isShort = !raw.startsWith('--')
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
  if (!flag) {
    throw new GhError(isShort ? `unknown shorthand flag: '${name}' in ${argv[index]}` : `unknown flag: --${name}`)
  }
  if (!flag.value) return value ?? 'true'
  if (value === undefined) throw new GhError(`flag needs an argument: --${name}`)
  // gh reads `-b=text` as `-b text`.
  return isShort && token.isInline ? value.replace(/^=/, '') : value
}
