// gh's own flag syntax: `--json a,b`, `--json=a,b`, `-b text`, `-btext`, in any order with words. A flag that is not in a
// command's table is unknown; one that gh has and ao cannot honour is refused with the reason. None is ignored.
import { lexArgv, type Token } from '../cli/arguments/parse-arguments.ts'
import { GhError, GhHelpError } from './gh-error.ts'

export interface Flag {
  short?: string
  /** It takes a value. */
  value?: true
  /** Why this flag of gh cannot be honoured here. */
  refused?: string
}

export interface GhArguments<F extends Record<string, Flag>> {
  positionals: string[]
  /** What `-R` names. */
  repo: string | undefined
  /** The last value of a flag. */
  value(name: keyof F & string): string | undefined
  values(name: keyof F & string): string[]
  has(name: keyof F & string): boolean
}

/** `most` is the maximum number of words beside the flags. */
export interface FlagOptions {
  most?: number
}

/** On every command. */
const EVERYWHERE: Record<string, Flag> = { repo: { short: 'R', value: true } }
/** One gh command uses `-h` for something else. */
const helpFlag = (own: Record<string, Flag>): Flag =>
  Object.values(own).some(({ short }) => short === 'h') ? {} : { short: 'h' }

export const NO_WEB = { web: { short: 'w', refused: 'no browser is opened here' } } as const
export const NO_EDITOR = { editor: { short: 'e', refused: 'no editor is opened here' } } as const
export const NO_PLANNING = {
  milestone: { short: 'm', value: true, refused: 'the local forge has no milestones' },
  project: { short: 'p', value: true, refused: 'the local forge has no project boards' },
} as const

export const NO_EDIT_PLANNING = {
  milestone: NO_PLANNING.milestone,
  'remove-milestone': { refused: NO_PLANNING.milestone.refused },
  'add-project': { value: true, refused: NO_PLANNING.project.refused },
  'remove-project': { value: true, refused: NO_PLANNING.project.refused },
} as const

export function parseFlags<F extends Record<string, Flag>>(
  argv: readonly string[],
  own: F,
  { most = 1 }: FlagOptions = {},
): GhArguments<F> {
  const flags: Record<string, Flag> = { ...EVERYWHERE, help: helpFlag(own), ...own }
  const given = new Map<string, string[]>()
  const positionals: string[] = []
  for (const token of lexArgv(argv, flags)) {
    if (token.kind === 'word') positionals.push(token.text)
    if (token.kind === 'option')
      given.set(token.name, [...(given.get(token.name) ?? []), flagValue(token, flags, argv)])
  }
  if (given.has('help')) throw new GhHelpError()
  if (positionals.length > most) throw tooManyArguments(positionals, most)
  return {
    positionals,
    repo: given.get('repo')?.at(-1),
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
  if (flag.refused !== undefined) throw new GhError(`--${name} is not available here: ${flag.refused}`)
  if (!flag.value) return switchValue(name, value)
  if (value === undefined) throw new GhError(`flag needs an argument: --${name}`)
  // gh reads `-b=text` as `-b text`.
  return isShort && token.isInline ? value.replace(/^=/, '') : value
}

function switchValue(name: string, value: string | undefined): string {
  if (value === undefined || value === 'true' || value === '1') return 'true'
  if (value === 'false' || value === '0') return 'false'
  throw new GhError(
    `invalid argument "${value}" for "--${name}" flag: strconv.ParseBool: parsing "${value}": invalid syntax`,
  )
}

function tooManyArguments(positionals: readonly string[], most: number): GhError {
  if (most === 0) return new GhError(`unknown argument "${positionals[0]}"; please quote all values that have spaces`)
  return new GhError(`accepts at most ${most} arg(s), received ${positionals.length}`)
}

/** One of gh's fixed words. */
export function oneOf<T extends string>(value: string, allowed: readonly T[], flag: string): T {
  const found = allowed.find((one) => one === value)
  if (found !== undefined) return found
  throw new GhError(`invalid argument "${value}" for "${flag}" flag: valid values are {${allowed.join('|')}}`)
}

export function positiveNumber(value: string | undefined, fallback: number, flag: string): number {
  if (value === undefined) return fallback
  const number = Number(value)
  if (/^[0-9]+$/.test(value) && number > 0) return number
  throw new GhError(`invalid value for ${flag}: ${value}`)
}
