// Host and repository from the URL of a git remote. Credentials in it are dropped.

export interface RemoteRepository {
  host: string
  /** `owner/name`, or a longer path where the forge has groups. */
  repo: string
}

/** null: a path on this machine, or nothing that names a repository on a forge. */
export function parseRemote(url: string): RemoteRepository | null {
  const match =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:@]+)(?::[0-9]+)?\/(.+)$/.exec(url) ??
    // `git@host:owner/name`, but not `C:/path` and not a path with a colon in it.
    /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/)(.+)$/.exec(url)
  if (!match) return null
  const host = match[1]!.toLowerCase()
  const repo = match[2]!.replace(/\/+$/, '').replace(/\.git$/, '')
  const isPlain = /^[A-Za-z0-9.-]+$/.test(host) && /^[\w.-]+(?:\/[\w.-]+)+$/.test(repo)
  return isPlain ? { host, repo } : null
}
