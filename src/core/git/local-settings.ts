// What a repository's own git settings may not decide when ao runs git. An agent shares the repository, so its settings are the
// agent's text: none of them starts a program, chooses a key or weakens a connection. The user's own settings, global and
// system-wide, apply instead, and where they have none, git's default. Pure.

export interface GitSetting {
  /** `system`, `global`, `local`, `worktree` or `command`. */
  scope: string
  /** As git prints it: section and name in lower case. */
  key: string
  value: string
}

export type Override = readonly [key: string, value: string]

/** The output of `git config --list -z --show-scope`. */
export function parseSettings(output: string): GitSetting[] {
  const fields = output.split('\0')
  const settings: GitSetting[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const entry = fields[at + 1]!
    const end = entry.indexOf('\n')
    // A key without a value is a switch that is on.
    const [key, value] = end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]
    settings.push({ scope: fields[at]!, key, value })
  }
  return settings
}

/** The user's own files and environment. */
const OWN_SCOPES = ['system', 'global', 'command']

/** In the repository, its worktrees, and everything that these include. */
export function isLocal({ scope }: Pick<GitSetting, 'scope'>): boolean {
  return !OWN_SCOPES.includes(scope)
}

/**
 * The words of all keys below: settings without any of them need no second look. Neither sections nor names can be written
 * in any other way in a configuration file.
 */
export const MAY_DECIDE =
  /\[(?:filter|merge|credential|gpg|http|include)|(?:sshcommand|gitproxy|askpass|alternaterefscommand|attributesfile|signingkey|uploadpack|receivepack|vcs|worktree)\s*[=\r\n]/i

const FILTER_DEFAULTS: Readonly<Record<string, string>> = { clean: '', smudge: '', process: '', required: 'false' }

const CORE_DEFAULTS: Readonly<Record<string, string>> = {
  sshcommand: 'ssh',
  askpass: '',
  alternaterefscommand: 'true',
  attributesfile: '~/.config/git/attributes',
  // Only through GIT_PROXY_COMMAND: the first one wins there.
  gitproxy: '',
}

const REMOTE_DEFAULTS: Readonly<Record<string, string>> = {
  uploadpack: 'git-upload-pack',
  receivepack: 'git-receive-pack',
  // git finds no such program, and refuses.
  vcs: '',
}

const HTTP_DEFAULTS: Readonly<Record<string, string>> = { sslverify: 'true', sslcainfo: '', sslcapath: '' }

interface KeyParts {
  section: string
  subsection: string | null
  name: string
}

export function splitKey(key: string): KeyParts {
  const first = key.indexOf('.')
  const last = key.lastIndexOf('.')
  const subsection = first === last ? null : key.slice(first + 1, last)
  return { section: key.slice(0, first), subsection, name: key.slice(last + 1) }
}

/** What git takes for the key without the repository's word and without the user's. null: the repository may decide it. */
function defaultOf(key: string): string | null {
  const { section, subsection, name } = splitKey(key)
  switch (section) {
    case 'filter':
      return FILTER_DEFAULTS[name] ?? null
    case 'merge':
      // A driver that fails is a conflict; an empty one would silently keep one side.
      return subsection !== null && name === 'driver' ? 'false' : null
    case 'core':
      return CORE_DEFAULTS[name] ?? null
    case 'remote':
      return REMOTE_DEFAULTS[name] ?? null
    case 'http':
      return HTTP_DEFAULTS[name] ?? null
    case 'credential':
      return name === 'helper' ? '' : null
    case 'gpg':
      return ''
    case 'user':
      return name === 'signingkey' ? '' : null
    default:
      return null
  }
}

/** For `GIT_CONFIG_KEY_n` and `GIT_CONFIG_VALUE_n`, which come after every file. */
export function overridesOf(settings: readonly GitSetting[]): Override[] {
  const local = [...new Set(settings.filter(isLocal).map(({ key }) => key))].filter((key) => defaultOf(key) !== null)
  const filters = new Set(local.flatMap((key) => (key.startsWith('filter.') ? splitKey(key).subsection : []) ?? []))
  const keys = new Set([
    ...local.filter((key) => !key.startsWith('filter.') && !isHelper(key)),
    // A filter is believed as a whole or not at all.
    ...[...filters].flatMap((name) => Object.keys(FILTER_DEFAULTS).map((part) => `filter.${name}.${part}`)),
  ])
  const own = settings.filter((one) => !isLocal(one))
  const single = [...keys].map((key): Override => {
    return [key, own.findLast((one) => one.key === key)?.value ?? defaultOf(key)!]
  })
  return local.some(isHelper) ? [...single, ...helpers(own)] : single
}

/** An empty one forgets all before it; then those of the user, in their order. */
function helpers(own: readonly GitSetting[]): Override[] {
  return [
    ['credential.helper', ''],
    ...own.filter(({ key }) => isHelper(key)).map(({ key, value }) => [key, value] as const),
  ]
}

function isHelper(key: string): boolean {
  return key.startsWith('credential.') && key.endsWith('.helper')
}

/** For `ao doctor`: settings of the repository that start programs or decide about trust, believed by ao or not. */
export function suspiciousSettings(settings: readonly GitSetting[]): GitSetting[] {
  return settings.filter((one) => isLocal(one) && (defaultOf(one.key) !== null || isForPrograms(one.key)))
}

const CORE_PROGRAMS = /^(?:fsmonitor|hookspath|editor|pager|worktree)$/
const ALL_OF = ['url', 'protocol', 'pager', 'include', 'includeif']

function isForPrograms(key: string): boolean {
  const { section, subsection, name } = splitKey(key)
  if (section === 'core') return CORE_PROGRAMS.test(name)
  if (section === 'diff') return name === 'external' || (subsection !== null && ['textconv', 'command'].includes(name))
  return ALL_OF.includes(section)
}
