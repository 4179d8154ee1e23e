// The programs that ao itself needs.
import { detectGit } from '../../../git/detect-git.ts'
import { tryGit } from '../../../git/git.ts'
import { INSTALL_BASH } from '../../../inside/path-wrappers.ts'
import { findBash, lookupIn } from '../../../lib/find-executable.ts'
import { detectedFinding, type Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'

export async function checkTools(io: Io): Promise<Finding[]> {
  const [git, identity] = await Promise.all([detectGit(io), checkIdentity(io)])
  // Without git this cannot be checked.
  return [
    checkNode(),
    checkBash(io),
    detectedFinding('git', { ...git, detail: git.detail.replace(/^git version /, '') }),
    ...(git.ok || git.timedOut ? [identity] : []),
  ]
}

/** ao.ts refuses to start on an older one. */
function checkNode(): Finding {
  return { level: 'pass', name: 'node', detail: process.versions.node }
}

function checkBash(io: Io): Finding {
  const name = 'bash'
  const path = findBash(lookupIn(io.env))
  if (path !== null) return { level: 'pass', name, detail: path }
  const detail = 'not installed, and the git and gh of every agent need it, so that no session can start'
  return { level: 'fail', name, detail, fix: INSTALL_BASH }
}

/** Every commit of every agent needs one; git itself says whether it would work. */
async function checkIdentity(io: Io): Promise<Finding> {
  const name = 'git identity'
  const result = await tryGit(io.cwd, ['var', 'GIT_COMMITTER_IDENT'], { env: io.env, read: true, timeoutMs: 15_000 })
  const who = /^([^<\n]* <[^>\n]*>)/.exec(result.stdout)?.[1]
  if (result.ok && who !== undefined) return { level: 'pass', name, detail: who }
  if (result.timedOut) return detectedFinding(name, { ok: false, detail: 'git did not answer in time', timedOut: true })
  const fix = 'git config --global user.name "Your Name" && git config --global user.email you@example.com'
  return { level: 'fail', name, detail: 'git does not know who commits, so that agents cannot commit', fix }
}
