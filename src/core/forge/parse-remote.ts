// Host and repository from the URL of a git remote. Embedded credentials are dropped.

export interface RemoteRepository {
  host: string
  /** `owner/name`, or a longer path where the forge has groups. */
  repo: string
  /** The transport. A host name over ssh may be an alias from the user's ssh configuration. */
  transport: 'http' | 'https' | 'ssh' | 'git'
  /** null: the default port of its transport. */
  port: number | null
}

/** null: a local path, or nothing that names a repository on a forge. */
export function parseRemote(url: string): RemoteRepository | null {
  // For git, `?`, `#` and `\` end a host, so that what stands before them is not a user.
  const whole = /^(https?|ssh|git):\/\/(?:[^@/?#\\]*@)?([^/:@]+)(?::([0-9]{1,5}))?\/(.+)$/.exec(url)
  if (whole) {
    const [, transport, host, port, path] = whole as unknown as [string, RemoteRepository['transport'], ...string[]]
    return toRepository(host!, path!, { transport, port: port === undefined ? null : Number(port) })
  }
  // `git@host:owner/name`, but not `C:/path` and not a path with a colon in it.
  const short = /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/)(.+)$/.exec(url)
  return short && toRepository(short[1]!, short[2]!, { transport: 'ssh', port: null })
}

/** It names another machine, whether or not `parseRemote` can read it. */
export function isRemoteAddress(url: string): boolean {
  return /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(url) || /^[^/:]{2,}:(?!\/\/)|^[^/[]*\[[^\]]*\]:/.test(url)
}

function toRepository(
  host: string,
  path: string,
  reached: Pick<RemoteRepository, 'transport' | 'port'>,
): RemoteRepository | null {
  const repo = path.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '')
  const isPlain = isHostName(host) && /^[\w.-]+(?:\/[\w.-]+)+$/.test(repo)
  return isPlain ? { host: host.toLowerCase(), repo, ...reached } : null
}

/** A name that is safe to pass to a program: it cannot be mistaken for an option. */
export function isHostName(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}$/.test(text)
}
