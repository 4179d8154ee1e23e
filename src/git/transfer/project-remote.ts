// The remote of a repository and the forge it is on, according to git and ssh themselves: they know `insteadOf` and
// aliases. Nothing is contacted: `ssh -G` prints the configuration for a host and starts no ProxyCommand.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { decideForge, needsSshConfig, type RemoteForge } from '../../core/forge/decide-forge.ts'
import { isHostName, isRemoteAddress, parseRemote } from '../../core/forge/parse-remote.ts'
import { exec } from '../../lib/exec.ts'
import { gitFailure, tryGit } from '../git.ts'
import { commonGitDir } from '../git-dir.ts'

export interface ProjectRemote {
  /** Usually `origin`. */
  name: string
  /** null: a local path, or nothing that names a repository on a forge. */
  forge: RemoteForge | null
  /** It leads to another machine, but the URL cannot be read as a repository on a forge. */
  isUnreadable: boolean
}

interface Kept {
  /** The fingerprint of the repository's configuration file. */
  stamp: string
  answer: Promise<ProjectRemote | null>
}

const kept = new Map<string, Kept>()
const MAX_KEPT = 200

/** null: there is no remote. Throws when git cannot say. Queried again only when the repository's configuration changes. */
export function readProjectRemote(path: string, env: NodeJS.ProcessEnv): Promise<ProjectRemote | null> {
  const key = JSON.stringify([path, env.HOME, env.GH_HOST, env.GITLAB_HOST, env.FORGEJO_HOST, env.GITEA_HOST])
  const stamp = stampOf(path)
  const cached = kept.get(key)
  if (cached?.stamp === stamp) return cached.answer
  const answer = askGit(path, env)
  // A failure is not cached.
  answer.catch(() => kept.delete(key))
  kept.set(key, { stamp, answer })
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
  return answer
}

function stampOf(path: string): string {
  const commonDir = commonGitDir(path)
  const stat = commonDir === null ? undefined : statSync(join(commonDir, 'config'), { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`
}

async function askGit(path: string, env: NodeJS.ProcessEnv): Promise<ProjectRemote | null> {
  const options = { env, read: true, timeoutMs: 10_000 }
  const listed = await tryGit(path, ['remote'], options)
  if (!listed.ok) throw gitFailure(path, ['remote'], listed)
  const names = listed.stdout.split('\n').filter(Boolean)
  const name = ['origin', 'upstream'].find((usual) => names.includes(usual)) ?? names[0]
  if (name === undefined) return null
  const url = await tryGit(path, ['remote', 'get-url', '--', name], options)
  if (!url.ok) throw gitFailure(path, ['remote', 'get-url'], url)
  const address = url.stdout.trim()
  const forge = await forgeOf(address, env)
  return { name, forge, isUnreadable: forge === null && isRemoteAddress(address) }
}

async function forgeOf(url: string, env: NodeJS.ProcessEnv): Promise<RemoteForge | null> {
  if (!needsSshConfig(url, env)) return decideForge(url, env)
  return decideForge(url, env, await askSsh(parseRemote(url)!.host, env))
}

/** null: ssh is not installed, or does not know the host. */
async function askSsh(host: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const { ok, stdout } = await exec('ssh', ['-G', '--', host], { env, timeoutMs: 5_000 })
  const named = ok ? /^hostname (\S+)$/m.exec(stdout)?.[1] : undefined
  return named !== undefined && isHostName(named) ? named : null
}
