// Can git workspaces work on this machine? The one module that says which git is too old.
import { execFailure } from '../lib/exec.ts'
import type { Detected } from '../slots/plugin.ts'
import { gitVersion } from './git.ts'

/** `git add --sparse`, which saves work in sparse checkouts, requires this version. */
const OLDEST_GIT = [2, 34] as const
const INSTALL_GIT = `Install git ${OLDEST_GIT.join('.')} or newer: https://git-scm.com/downloads`

export async function detectGit({ env }: { env: NodeJS.ProcessEnv }): Promise<Detected> {
  const result = await gitVersion(env)
  if (!result.ok) {
    const detail = execFailure('git', result)
    return result.timedOut ? { ok: false, detail, timedOut: true } : { ok: false, detail, fix: INSTALL_GIT }
  }
  const detail = result.stdout.trim()
  const [major = 0, minor = 0] = (/(?<!\d)(\d+)\.(\d+)/.exec(detail) ?? []).slice(1).map(Number)
  const isOld = major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1])
  if (!isOld) return { ok: true, detail }
  return { ok: false, detail: `${detail} is older than ${OLDEST_GIT.join('.')}`, fix: INSTALL_GIT }
}
