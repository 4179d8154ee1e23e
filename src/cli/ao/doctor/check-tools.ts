// The programs that ao itself needs.
import { gitVersion, tryGit } from '../../../git/git.ts'
import { execFailure } from '../../../lib/exec.ts'
import type { Io } from '../../io.ts'
import type { Finding } from '../../print/findings.ts'

const OLDEST_GIT = [2, 30] as const

export async function checkTools(io: Io): Promise<Finding[]> {
  const [git, identity] = await Promise.all([checkGit(io), checkIdentity(io)])
  // Without git this cannot be checked.
  return [checkNode(), git, ...(git.level === 'fail' ? [] : [identity])]
}

/** ao.ts refuses to start on an older one. */
function checkNode(): Finding {
  return { level: 'pass', name: 'node', detail: process.versions.node }
}

async function checkGit(io: Io): Promise<Finding> {
  const result = await gitVersion(io.env)
  const fix = `Install git ${OLDEST_GIT.join('.')} or newer`
  if (!result.ok) return { level: 'fail', name: 'git', detail: execFailure('git', result), fix }
  const version = /(\d+)\.(\d+)[.\d]*/.exec(result.stdout)
  const [major = 0, minor = 0] = (version ?? []).slice(1).map(Number)
  const isOld = major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1])
  if (isOld) return { level: 'warn', name: 'git', detail: `${result.stdout.trim()} is old`, fix }
  return { level: 'pass', name: 'git', detail: version?.[0] ?? result.stdout.trim() }
}

/** Every commit of every agent needs one; git itself says whether it would work. */
async function checkIdentity(io: Io): Promise<Finding> {
  const name = 'git identity'
  const result = await tryGit(io.cwd, ['var', 'GIT_COMMITTER_IDENT'], { env: io.env, read: true, timeoutMs: 5_000 })
  const who = /^(.* <[^>]*>)/.exec(result.stdout)?.[1]
  if (result.ok && who !== undefined) return { level: 'pass', name, detail: who }
  const fix = 'git config --global user.name "Your Name" && git config --global user.email you@example.com'
  return { level: 'fail', name, detail: 'git does not know who commits, so that agents cannot commit', fix }
}
