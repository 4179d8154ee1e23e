// The commands of ao that home answers for a session in a place, read by this table into the arguments that home runs. Anything that is not
// here is refused. Which session may do what is decided again by `ao` itself, as for every agent.
import type { FlagRow } from '../boundary/gh-grammar.ts'
import { isBranch, readValue } from '../boundary/gh-values.ts'
import { type Flags, type GivenFlag, readFlags, switchValue } from '../boundary/parse-gh.ts'

type WordKind = 'own-session' | 'pull' | 'issue' | 'thread' | 'name'

interface AoRow {
  positionals: readonly WordKind[]
  flags: Flags
  /** It speaks with its client as long as it runs. */
  talks?: true
}

export type AoRequest =
  | { kind: 'call'; argv: string[]; input: 'none' | 'all' | 'stream' }
  | { kind: 'gh'; argv: readonly string[] }
  | { kind: 'refused'; why: string }

const on = (short?: string): FlagRow => ({ short, value: 'switch' })
const JSON_FLAG = { json: on() }
const BODY: Flags = {
  body: { short: 'b', value: 'text' },
  'body-file': { short: 'F', value: 'text', meaning: 'body-file' },
}

const COMMANDS: Readonly<Record<string, AoRow>> = {
  mcp: { positionals: [], flags: {}, talks: true },
  version: { positionals: [], flags: {} },
  why: { positionals: ['own-session'], flags: JSON_FLAG },
  'session show': { positionals: ['own-session'], flags: { ...JSON_FLAG, events: { short: 'n', value: 'count' } } },
  'session diff': { positionals: ['own-session'], flags: { ...JSON_FLAG, raw: on() } },
  'issue ls': {
    positionals: [],
    flags: {
      ...JSON_FLAG,
      quiet: on('q'),
      state: { short: 's', value: ['open', 'closed', 'all'] },
      label: { short: 'l', value: 'name', all: true },
      assignee: { short: 'a', value: 'name' },
      limit: { value: 'count' },
    },
  },
  'issue show': { positionals: ['issue'], flags: JSON_FLAG },
  'issue comment': { positionals: ['issue'], flags: { ...BODY, ...JSON_FLAG } },
  'pr ls': { positionals: [], flags: { ...JSON_FLAG, all: on('a'), quiet: on('q') } },
  'pr view': { positionals: ['pull'], flags: JSON_FLAG },
  'pr diff': { positionals: ['pull'], flags: { 'name-only': on(), raw: on() } },
  // Not `--run`: that would run the agent's code at home.
  'pr checks': { positionals: ['pull'], flags: { ...JSON_FLAG, log: { value: 'name' } } },
  'pr comment': { positionals: ['pull'], flags: { ...BODY, ...JSON_FLAG, line: { value: 'text' } } },
  'pr reply': { positionals: ['pull', 'thread'], flags: { ...BODY, ...JSON_FLAG } },
  'feedback new': {
    positionals: ['name'],
    flags: {
      ...JSON_FLAG,
      title: { value: 'text' },
      body: { value: 'text' },
      source: { value: 'text' },
      confidence: { value: 'text' },
      evidence: { value: 'text', all: true },
    },
  },
}

export function decideAo(argv: readonly string[], sessionId: string): AoRequest {
  if (argv[0] === 'gh') return { kind: 'gh', argv: argv.slice(1) }
  if (argv.length === 0 || ['help', '--help', '-h'].includes(argv[0]!)) return refuse(available())
  if (argv[0] === '--version') return { kind: 'call', argv: ['version'], input: 'none' }
  const found = findCommand(argv)
  if (found === null)
    return refuse(`ao ${argv.slice(0, 2).join(' ').slice(0, 80)} is not answered for agents in a place. ${available()}`)
  const { name, row, rest } = found
  const read = readFlags(rest, { ...row.flags, help: on('h') })
  if (!read.ok) return refuse(`ao ${name}: ${read.why}`)
  if (read.given.some((one) => one.name === 'help' && switchValue(one.value) === true))
    return { kind: 'call', argv: [...name.split(' '), '--help'], input: 'none' }
  const positionals = readPositionals(row, read.positionals, sessionId)
  if (positionals === null)
    return refuse(`ao ${name} does not take ${read.positionals.join(' ').slice(0, 120) || 'nothing'} in a place`)
  const flags = readOptions(row, read.given)
  if (typeof flags === 'string') return refuse(flags)
  const takesInput = read.given.some((one) => row.flags[one.name]?.meaning === 'body-file')
  const input = row.talks ? 'stream' : takesInput ? 'all' : 'none'
  return {
    kind: 'call',
    argv: [...name.split(' '), ...positionals, ...flags, ...(takesInput ? ['--body-file=-'] : [])],
    input,
  }
}

/** The file of `--body-file` that is to be read in the place; null: none, or stdin. */
export function aoFileInPlace(argv: readonly string[]): string | null {
  const found = findCommand(argv)
  const read = found === null ? null : readFlags(found.rest, found.row.flags)
  if (found === null || !read?.ok) return null
  const file = read.given.findLast(({ name }) => found.row.flags[name]?.meaning === 'body-file')?.value
  return file === undefined || file === '-' ? null : file
}

function findCommand(argv: readonly string[]): { name: string; row: AoRow; rest: string[] } | null {
  for (const count of [2, 1]) {
    const name = argv.slice(0, count).join(' ')
    if (Object.hasOwn(COMMANDS, name)) return { name, row: COMMANDS[name]!, rest: argv.slice(count) }
  }
  return null
}

function readPositionals({ positionals }: AoRow, given: readonly string[], sessionId: string): string[] | null {
  if (given.length !== positionals.length) return null
  return given.every((word, at) => isWord(positionals[at]!, word, sessionId)) ? [...given] : null
}

function isWord(kind: WordKind, word: string, sessionId: string): boolean {
  if (kind === 'own-session') return word === sessionId
  if (kind === 'pull') return /^#?[1-9][0-9]{0,9}$/.test(word) || isBranch(word)
  if (kind === 'issue') return /^#?\w[\w-]{0,63}$/.test(word)
  return /^\w[\w=-]{0,199}$/.test(word)
}

function readOptions({ flags }: AoRow, given: readonly GivenFlag[]): string[] | string {
  const options: string[] = []
  for (const [at, { name, value }] of given.entries()) {
    const flag = flags[name]
    // `--help=false`.
    if (flag === undefined) continue
    const isLast = !given.slice(at + 1).some((one) => one.name === name)
    if (flag.meaning === 'body-file' || (flag.all !== true && !isLast)) continue
    if (flag.value === 'switch') {
      if (switchValue(value) === true) options.push(`--${name}`)
      continue
    }
    const values = readValue(flag.value, value)
    if (values === null) return `${JSON.stringify(value.slice(0, 120))} is not a value of --${name} here`
    options.push(...values.map((one) => `--${name}=${one}`))
  }
  return options
}

function available(): string {
  return `In a place there are: ${Object.keys(COMMANDS)
    .map((name) => `ao ${name}`)
    .join(', ')}`
}

function refuse(why: string): AoRequest {
  return { kind: 'refused', why }
}
