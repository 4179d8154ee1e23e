// What a session in a place asks of gh, as data, and whether it may: the project's own repository, the session's own branches, its own
// pull request and issue. Home carries out the request that is returned here, and never the words that came.
import { findStarting } from '../task/decide-trigger.ts'
import { API_INSTEAD, type ApiRead, type Repository, readApi } from './gh-api.ts'
import type { Access, CommandRow, FlagRow } from './gh-grammar.ts'
import { isBranch, readValue } from './gh-values.ts'
import { type GivenFlag, parseGh, switchValue } from './parse-gh.ts'

export type { Repository } from './gh-api.ts'

export interface GhRights {
  /** The only one that is answered for. */
  repository: Repository
  /** The pull requests are ao's own: no server, and the same words on other ports of this machine mean the same repository. */
  isLocal: boolean
  /** What the agent has checked out. */
  branch: string
  /** The session's own. */
  branches: readonly string[]
  /** Number of the session's own issue. */
  issue: string | null
  /** Labels with which an issue starts a session. */
  startingLabels?: readonly string[] | undefined
}

export type Target = { kind: 'none' } | { kind: 'number'; number: number } | { kind: 'branch'; branch: string }
export type Fill = 'fill' | 'fill-first' | 'fill-verbose'
/** Text comes with the request, or as the command's input: a file is read in the place. */
export type Body = { from: 'none' } | { from: 'text'; text: string } | { from: 'input' }

export interface Output {
  fields: string | null
  jq: string | null
}

/** A flag with a value, or a switch. */
export type Setting = readonly [flag: string, value: string | true]

export interface GhCommand {
  kind: 'command'
  /** As in the table: `pr create`. */
  name: string
  access: Access
  target: Target
  /** Home has to see first that this pull request is the session's own. */
  mustOwn: number | null
  settings: readonly Setting[]
  body: Body
  fill: Fill | null
  output: Output
}

export type GhRequest =
  | { kind: 'help'; about: string }
  | { kind: 'version' }
  | { kind: 'account' }
  | { kind: 'repository'; output: Output }
  | { kind: 'api'; read: ApiRead; isPaged: boolean; isSilent: boolean; output: Output }
  | GhCommand
  | { kind: 'refused'; why: string }

type Refused = { kind: 'refused'; why: string }
const refuse = (why: string): Refused => ({ kind: 'refused', why })

export function decideGh(argv: readonly string[], rights: GhRights): GhRequest {
  const parsed = parseGh(argv)
  if (parsed.kind !== 'command') return parsed
  const { name, row, given, positionals } = parsed
  const why = refuseFlags(row, given) ?? refuseElsewhere(row, given, rights) ?? refusePositionals(row, positionals)
  if (why !== null) return refuse(why)
  const output = readOutput(row, given)
  if (typeof output === 'string') return refuse(output)
  if (row.target === 'route') return decideApi(positionals[0]!, given, output, rights)
  if (row.target === 'repository') {
    const isOurs = positionals[0] === undefined || isSameRepository(positionals[0], rights)
    return isOurs ? { kind: 'repository', output } : refuse(otherRepository(positionals[0]!, rights))
  }
  if (name === 'auth status') return { kind: 'account' }
  return decideCommand({ name, row, given, output, word: positionals[0] }, rights)
}

interface ParsedCommand {
  name: string
  row: CommandRow
  given: readonly GivenFlag[]
  output: Output
  word: string | undefined
}

function decideCommand({ name, row, given, output, word }: ParsedCommand, rights: GhRights): GhCommand | Refused {
  const target = readTarget(row, word, rights)
  if (typeof target === 'string') return refuse(target)
  const notOwn = row.access === 'change' ? refuseOthers(row, target, rights) : null
  if (notOwn !== null) return refuse(notOwn)
  const settings = readSettings(row, given, rights)
  if (typeof settings === 'string') return refuse(settings)
  const starting =
    name.startsWith('issue ') && row.access !== 'read'
      ? findStarting(rights.startingLabels ?? [], labelsOf(settings))
      : null
  if (starting !== null)
    return refuse(`the label ${starting} starts a session, and an agent in a place starts none; a person sets it`)
  const body = readBody(given)
  if (typeof body === 'string') return refuse(body)
  const head = name === 'pr create' && !settings.some(([flag]) => flag === 'head')
  if (head && !rights.branches.includes(rights.branch)) return refuse(otherBranch(rights.branch, rights))
  const isPull = row.access === 'change' && row.target === 'pull'
  return {
    kind: 'command',
    name,
    access: row.access,
    target,
    mustOwn: isPull && target.kind === 'number' ? target.number : null,
    settings: head ? [...settings, ['head', rights.branch]] : settings,
    body,
    fill: (given.findLast(({ name: flag, value }) => flagOf(row, flag).meaning === 'fill' && isOn(value))?.name ??
      null) as Fill | null,
    output,
  }
}

function decideApi(route: string, given: readonly GivenFlag[], output: Output, rights: GhRights): GhRequest {
  if (/^\/?graphql$/.test(route)) return refuse(API_INSTEAD)
  const read = readApi({ route, given, repository: rights.repository, branch: rights.branch })
  if (typeof read === 'string') return refuse(read)
  const has = (flag: string) => isOn(given.findLast(({ name }) => name === flag)?.value ?? 'false')
  return { kind: 'api', read, isPaged: has('paginate'), isSilent: has('silent'), output }
}

/** `--admin=false` is no different from no `--admin`. */
function refuseFlags(row: CommandRow, given: readonly GivenFlag[]): string | null {
  const found = given.find(({ name, value }) => {
    const flag = flagOf(row, name)
    return flag.refused !== undefined && (flag.value !== 'switch' || isOn(value))
  })
  return found === undefined ? null : `--${found.name} is not available in a place: ${flagOf(row, found.name).refused}`
}

function refuseElsewhere(row: CommandRow, given: readonly GivenFlag[], rights: GhRights): string | null {
  for (const { name, value } of given) {
    const { meaning } = flagOf(row, name)
    if (meaning === 'repository' && !isSameRepository(value, rights)) return otherRepository(value, rights)
    if (meaning === 'host' && !isSameHost(value, rights)) return otherRepository(value, rights)
  }
  return null
}

function refusePositionals({ target, needsTarget }: CommandRow, positionals: readonly string[]): string | null {
  const most = target === 'none' ? 0 : 1
  if (positionals.length > most) return `accepts at most ${most} arg(s), received ${positionals.length}`
  return needsTarget && positionals.length === 0 ? 'accepts 1 arg(s), received 0' : null
}

function readTarget({ target }: CommandRow, word: string | undefined, rights: GhRights): Target | string {
  if (target === 'none') return { kind: 'none' }
  if (word === undefined) return target === 'pull' ? branchTarget(rights.branch) : { kind: 'none' }
  const number = numberOf(word, target, rights)
  if (number !== null) return { kind: 'number', number }
  if (target === 'pull' && isBranch(word)) return branchTarget(word)
  return `${word.slice(0, 120)} does not name ${NAMES[target] ?? 'anything'} of ${fullName(rights)}`
}

/** An agent chooses the names of its branches, and gh takes these for an option or the number of somebody else's pull request. */
function branchTarget(branch: string): Target | string {
  if (!/^-|^#?[+-]?[0-9]+$/.test(branch)) return { kind: 'branch', branch }
  return `gh would not take ${branch.slice(0, 120)} for a branch; name the pull request by its number`
}

const NAMES: Readonly<Record<string, string>> = { pull: 'a pull request', issue: 'an issue', run: 'a run' }
const PAGES: Readonly<Record<string, string>> = { pull: 'pull', issue: 'issues', run: 'actions/runs' }

/** `7`, `#7`, or the URL of this very repository. */
function numberOf(word: string, target: string, rights: GhRights): number | null {
  const plain = /^#?([1-9][0-9]{0,14})$/.exec(word)?.[1]
  if (plain !== undefined) return Number(plain)
  const url = /^https?:\/\/([^/]+\/[^/]+\/[^/]+)\/(pull|issues|actions\/runs)\/([1-9][0-9]{0,14})(?:\/files)?\/?$/.exec(
    word,
  )
  if (url === null || url[2] !== PAGES[target] || !isSameRepository(url[1]!, rights)) return null
  return Number(url[3])
}

function refuseOthers({ target }: CommandRow, named: Target, rights: GhRights): string | null {
  if (target === 'issue') {
    if (named.kind === 'number' && String(named.number) === rights.issue) return null
    return 'a session in a place changes only its own issue; it may comment on others, and a person changes them'
  }
  return named.kind === 'branch' && !rights.branches.includes(named.branch) ? otherBranch(named.branch, rights) : null
}

function readSettings(row: CommandRow, given: readonly GivenFlag[], rights: GhRights): Setting[] | string {
  const settings: Setting[] = []
  for (const [at, { name, value }] of given.entries()) {
    const flag = flagOf(row, name)
    const isLast = !given.slice(at + 1).some((one) => one.name === name)
    if (flag.meaning !== undefined || (flag.all !== true && !isLast)) continue
    if (flag.value === 'switch') {
      if (isOn(value)) settings.push([name, true])
      continue
    }
    const values = readValue(flag.value, value)
    if (values === null) return `${JSON.stringify(value.slice(0, 120))} is not a value of --${name} here`
    if (flag.value === 'own-branch' && !rights.branches.includes(value)) return otherBranch(value, rights)
    settings.push(...values.map((one): Setting => [name, one]))
  }
  return settings
}

function labelsOf(settings: readonly Setting[]): string[] {
  return settings.flatMap(([flag, value]) => (/^(?:add-)?label$/.test(flag) ? String(value) : []))
}

function readBody(given: readonly GivenFlag[]): Body | string {
  const text = given.findLast(({ name }) => name === 'body')
  const file = given.findLast(({ name }) => name === 'body-file')
  if (text && file) return 'specify only one of `--body` or `--body-file`'
  if (file) return { from: 'input' }
  return text ? { from: 'text', text: text.value } : { from: 'none' }
}

function readOutput(row: CommandRow, given: readonly GivenFlag[]): Output | string {
  const value = (meaning: FlagRow['meaning']) =>
    given.findLast(({ name }) => flagOf(row, name).meaning === meaning)?.value ?? null
  const [fields, jq] = [value('json'), value('jq')]
  if (fields !== null && readValue('fields', fields) === null) return 'the fields of --json are names with commas'
  if (row.target !== 'route' && fields === null && jq !== null) return 'cannot use `--jq` without specifying `--json`'
  return { fields, jq }
}

/** The value of `--body-file` that is to be read in the place; null: none, or stdin. */
export function fileInPlace(argv: readonly string[]): string | null {
  const parsed = parseGh(argv)
  if (parsed.kind !== 'command') return null
  const file = parsed.given.findLast(({ name }) => flagOf(parsed.row, name).meaning === 'body-file')?.value
  return file === undefined || file === '-' ? null : file
}

function flagOf(row: CommandRow, name: string): FlagRow {
  return row.flags[name]!
}

function isOn(value: string): boolean {
  return switchValue(value) === true
}

function isSameHost(host: string, { repository, isLocal }: GhRights): boolean {
  const name = host.toLowerCase()
  return name === repository.host || (isLocal && /^(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/.test(name))
}

/** `owner/name`, `host/owner/name` or its URL. */
function isSameRepository(given: string, rights: GhRights): boolean {
  const parts = given
    .replace(/^https?:\/\//, '')
    .replace(/(?:\.git)?\/?$/, '')
    .split('/')
  const [name = '', owner = '', host, ...more] = parts.toReversed()
  if (more.length > 0 || (host !== undefined && !isSameHost(host, rights))) return false
  const { repository } = rights
  return owner.toLowerCase() === repository.owner.toLowerCase() && name.toLowerCase() === repository.name.toLowerCase()
}

function fullName({ repository }: GhRights): string {
  return `${repository.owner}/${repository.name}`
}

function otherRepository(given: string, rights: GhRights): string {
  return `${given.slice(0, 120)} is another repository: a session in a place is answered for ${fullName(rights)} only`
}

function otherBranch(branch: string, { branches }: GhRights): string {
  return `${branch.slice(0, 120)} is not a branch of this session (${branches.join(', ')})`
}
