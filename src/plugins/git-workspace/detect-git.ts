// Can git workspaces work on this machine?
import { exec } from '../../lib/exec.ts'
import type { PluginContext } from '../../slots/plugin.ts'

export async function detectGit(context: PluginContext): Promise<{ ok: boolean; detail: string; fix?: string }> {
  const result = await exec('git', ['--version'], { env: context.env, timeoutMs: 5_000 })
  if (result.ok) return { ok: true, detail: result.stdout.trim() }
  return { ok: false, detail: 'git does not run', fix: 'Install git: https://git-scm.com/downloads' }
}
