// Reads the arguments of gh as gh itself does: cobra finds the command, pflag its flags. Flags may stand between the words of a
// command; one that is unknown there takes the next word as its value, whatever it says. Decides nothing.
import {
  type CommandRow,
  type FlagRow,
  GH_GROUPS,
  GH_OWN_FLAGS,
  GH_ROOT_FLAGS,
  GH_SINGLE,
  type GroupRow,
} from './gh-grammar.ts'

export interface GivenFlag {
  name: string
  /** `true` of a switch without a value. */
  value: string
}

export type ParsedGh =
  | { kind: 'command'; name: string; row: CommandRow; given: GivenFlag[]; positionals: string[] }
  /** `about`: a group, or nothing. */
  | { kind: 'help'; about: string }
  | { kind: 'version' }
  | { kind: 'refused'; why: string }

export type Flags = Readonly<Record<string, FlagRow>>

export function parseGh(argv: readonly string[]): ParsedGh {
  const root = { ...GH_ROOT_FLAGS, ...GH_OWN_FLAGS }
  const first = nextCommand(argv, root)
  if (first === null) return bare(argv, root)
  if (first.word === 'help') return { kind: 'help', about: '' }
  if (first.word === 'version') return { kind: 'version' }
  const single = own(GH_SINGLE, first.word)
  if (single !== undefined) return readLeaf(first.word, single, GH_ROOT_FLAGS, first.rest)
  const group = own(GH_GROUPS, first.word)
  if (group === undefined) return notAnswered(first.word)
  return inGroup(first.word, group, first.rest)
}

function inGroup(name: string, group: GroupRow, rest: readonly string[]): ParsedGh {
  const flags = { ...GH_ROOT_FLAGS, ...group.flags }
  const second = nextCommand(rest, flags)
  if (second === null) return bare(rest, flags, name)
  const command = own(group.aliases, second.word) ?? second.word
  const row = own(group.commands, command)
  if (row === undefined) return notAnswered(`${name} ${second.word}`)
  return readLeaf(`${name} ${command}`, row, flags, second.rest)
}

/** `gh`, `gh pr`, with or without `--help`: gh explains itself. */
function bare(argv: readonly string[], flags: Flags, about = ''): ParsedGh {
  const read = readFlags(argv, flags)
  if (!read.ok) return read.isHelp ? { kind: 'help', about } : { kind: 'refused', why: read.why }
  if (read.positionals.length > 0) return notAnswered(`${about} ${read.positionals[0]}`.trim())
  if (read.given.some(({ name, value }) => name === 'version' && isTrue(value))) return { kind: 'version' }
  return { kind: 'help', about }
}

function readLeaf(name: string, row: CommandRow, inherited: Flags, rest: readonly string[]): ParsedGh {
  const flags = { ...inherited, ...row.flags }
  const read = readFlags(rest, flags)
  if (!read.ok) return read.isHelp ? { kind: 'help', about: name } : { kind: 'refused', why: read.why }
  if (read.given.some((one) => one.name === 'help' && isTrue(one.value))) return { kind: 'help', about: name }
  const given = read.given.filter((one) => one.name !== 'help')
  return { kind: 'command', name, row: { ...row, flags }, given, positionals: read.positionals }
}

/**
 * cobra's `Find`: the first word that is neither a flag nor the value of one is the next command, and is taken out. A flag that this
 * level does not know counts as one with a value.
 */
function nextCommand(argv: readonly string[], flags: Flags): { word: string; rest: string[] } | null {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!
    if (word === '--') return null
    if (takesNext(word, flags)) at += 1
    else if (word !== '' && !word.startsWith('-')) return { word, rest: argv.toSpliced(at, 1) }
  }
  return null
}

function takesNext(word: string, flags: Flags): boolean {
  if (word.includes('=')) return false
  if (word.startsWith('--')) return own(flags, word.slice(2))?.value !== 'switch'
  if (!word.startsWith('-') || word.length !== 2) return false
  return byShort(flags, word[1]!)?.row.value !== 'switch'
}

export type ReadFlags =
  | { ok: true; given: GivenFlag[]; positionals: string[] }
  | { ok: false; isHelp: boolean; why: string }

/** pflag's `Parse`, with words and flags in any order. */
export function readFlags(argv: readonly string[], flags: Flags): ReadFlags {
  const given: GivenFlag[] = []
  const positionals: string[] = []
  const left = [...argv]
  while (left.length > 0) {
    const word = left.shift()!
    if (word === '--') {
      positionals.push(...left)
      break
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word)
      continue
    }
    const problem = word.startsWith('--')
      ? readLong(word, flags, left, given)
      : readShorts(word.slice(1), word, flags, left, given)
    if (problem !== null) return { ok: false, ...problem }
  }
  const odd = given.find(({ name, value }) => own(flags, name)?.value === 'switch' && switchValue(value) === null)
  if (odd !== undefined)
    return { ok: false, isHelp: false, why: `invalid value for --${odd.name}: ${odd.value.slice(0, 80)}` }
  return { ok: true, given, positionals }
}

type Problem = { isHelp: boolean; why: string } | null
const wrong = (why: string): Problem => ({ isHelp: false, why })

function readLong(word: string, flags: Flags, left: string[], given: GivenFlag[]): Problem {
  const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? []
  if (name === '' || name.startsWith('-')) return wrong(`bad flag syntax: ${word}`)
  const row = own(flags, name)
  if (row === undefined) return wrong(`unknown flag: --${name}`)
  if (value !== undefined) given.push({ name, value })
  else if (row.value === 'switch') given.push({ name, value: 'true' })
  else if (left.length === 0) return wrong(`flag needs an argument: --${name}`)
  else given.push({ name, value: left.shift()! })
  return null
}

/** `-db text`, `-btext`, `-b=text`. */
function readShorts(shorts: string, word: string, flags: Flags, left: string[], given: GivenFlag[]): Problem {
  const letter = shorts[0]!
  const found = byShort(flags, letter)
  if (found === null)
    return letter === 'h' ? { isHelp: true, why: '' } : wrong(`unknown shorthand flag: '${letter}' in ${word}`)
  const { name, row } = found
  const rest = shorts.slice(1)
  if (rest.length > 1 && rest.startsWith('=')) given.push({ name, value: rest.slice(1) })
  else if (row.value === 'switch') {
    given.push({ name, value: 'true' })
    return rest === '' ? null : readShorts(rest, word, flags, left, given)
  } else if (rest !== '') given.push({ name, value: rest })
  else if (left.length === 0) return wrong(`flag needs an argument: '${letter}' in ${word}`)
  else given.push({ name, value: left.shift()! })
  return null
}

function byShort(flags: Flags, letter: string): { name: string; row: FlagRow } | null {
  const found = Object.entries(flags).find(([, row]) => row.short === letter)
  return found === undefined ? null : { name: found[0], row: found[1] }
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

function isTrue(value: string): boolean {
  return TRUE.has(value)
}

/** As Go reads it; null: neither. */
export function switchValue(value: string): boolean | null {
  if (TRUE.has(value)) return true
  return FALSE.has(value) ? false : null
}

function notAnswered(command: string): ParsedGh {
  const shown = command.slice(0, 80)
  return { kind: 'refused', why: `gh ${shown} is not answered for agents in a place; see what is with: gh help` }
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
