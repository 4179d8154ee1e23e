// A decided request as the arguments of gh, or of ao's own facade: the command first, every value in one word with its flag, so that
// nothing in a value can be read as anything else. Texts go through stdin.
import { signComment } from '../forge/comment-signature.ts'
import type { GhCommand, GhRequest, Repository, Setting } from './gh-request.ts'

export interface GhCall {
  argv: string[]
  /** null: nothing is to be read. */
  input: string | null
}

/** What home found out for the request: the text that came as input, and a title and text from the commits. */
export interface Found {
  /** The session whose agent asks. On a forge it writes with the user's account, so its comments are signed. */
  by?: string | undefined
  input?: string | undefined
  filled?: { title: string; body: string } | undefined
}

/** `on`: the repository of the forge that gh asks; null for the facade, which has only one. */
export function commandCall(request: GhCommand, on: Repository | null, found: Found = {}): GhCall {
  const { target, output, fill } = request
  const { by } = found
  const sign = (text: string) =>
    on === null || by === undefined ? text : signComment(text, { kind: 'agent', session: by })
  const given = bodyOf(request, found)
  const body = given !== null && request.access === 'comment' ? sign(given) : given
  const title: Setting[] =
    found.filled && !request.settings.some(([flag]) => flag === 'title') ? [['title', found.filled.title]] : []
  const settings: Setting[] = [
    ...(on === null ? [] : ([['repo', repositoryName(on)]] as const)),
    ...title,
    ...request.settings.map(([flag, value]): Setting => [flag, flag === 'comment' ? signed(value, sign) : value]),
    ...(fill !== null && !found.filled ? ([[fill, true]] as const) : []),
    ...(body === null ? [] : ([['body-file', '-']] as const)),
    ...(output.fields === null ? [] : ([['json', output.fields]] as const)),
  ]
  const named = target.kind === 'number' ? [String(target.number)] : target.kind === 'branch' ? [target.branch] : []
  return { argv: [...request.name.split(' '), ...named, ...settings.map(inOneWord)], input: body }
}

export function apiCall(
  { read, isPaged, isSilent }: Extract<GhRequest, { kind: 'api' }>,
  on: Repository | null,
  isFormatted: boolean,
): GhCall {
  const settings: Setting[] = [
    ...(on === null ? [] : ([['hostname', on.host]] as const)),
    ['method', 'GET'],
    ...(read.accept === null ? [] : ([['header', `Accept: ${read.accept}`]] as const)),
    ...(isPaged ? ([['paginate', true]] as const) : []),
    ...(isSilent ? ([['silent', true]] as const) : []),
    // Ours, and the same for everybody: each page on a line of its own.
    ...(isSilent || (!isFormatted && read.only === null) ? [] : ([['jq', onLines(read.only)]] as const)),
  ]
  return { argv: ['api', read.path, ...settings.map(inOneWord)], input: null }
}

function onLines(only: readonly string[] | null): string {
  return only === null ? 'tojson' : `{${only.join(',')}}|tojson`
}

/** To see whose a pull request is. */
export function ownerCall(number: number, on: Repository): GhCall {
  const flags: Setting[] = [
    ['repo', repositoryName(on)],
    ['json', 'headRefName,isCrossRepository'],
  ]
  return { argv: ['pr', 'view', String(number), ...flags.map(inOneWord)], input: null }
}

function bodyOf({ body }: GhCommand, { input, filled }: Found): string | null {
  if (body.from === 'text') return body.text
  if (body.from === 'input') return input ?? ''
  return filled?.body ?? null
}

/** `--comment` of a review is a switch. */
function signed(value: Setting[1], sign: (text: string) => string): Setting[1] {
  return value === true ? value : sign(value)
}

function inOneWord([flag, value]: Setting): string {
  return value === true ? `--${flag}` : `--${flag}=${value}`
}

function repositoryName({ host, owner, name }: Repository): string {
  return `${host}/${owner}/${name}`
}

const LONGEST = 300

/** For the session's history: what was asked for, in one bounded line. */
export function describeRequest(request: GhRequest): string {
  const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text)
  if (request.kind === 'command') {
    const { argv } = commandCall({ ...request, body: { from: 'none' } }, null)
    return shorten(`gh ${argv.map((word) => shorten(word, 80)).join(' ')}`, LONGEST)
  }
  if (request.kind === 'api') return shorten(`gh api ${request.read.path}`, LONGEST)
  if (request.kind === 'repository') return 'gh repo view'
  return request.kind === 'account' ? 'gh auth status' : `gh ${request.kind}`
}
