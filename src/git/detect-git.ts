// Can git workspaces work on this machine?
import type { PluginContext } from '../slots/plugin.ts'
import { gitVersion } from './git.ts'

/** `git add --sparse`, which saves work in sparse checkouts, requires this version. */
const OLDEST = [2, 34] as const
const GET_GIT = 'Install a current git: https://git-scm.com/downloads'

export async function detectGit(context: PluginContext): Promise<{ ok: boolean; detail: string; fix?: string }> {
  const result = await gitVersion(context.env)
  if (!result.ok) return { ok: false, detail: 'git is not working', fix: GET_GIT }
  const detail = result.stdout.trim()
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(detail) ?? []).slice(1).map(Number)
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
  return isOld
    ? { ok: false, detail: `${detail} is older than ${OLDEST.join('.')}`, fix: GET_GIT }
    : { ok: true, detail }
}
