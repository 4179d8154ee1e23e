// Whether an agent's program exists and answers: its `--version`, for `ao doctor` and the choice of an agent.
import { exec, execFailure } from '../../lib/exec.ts'
import type { Detected } from '../../slots/plugin.ts'

/** Below the limit of a whole detection, so that a hanging program is ended in time. */
const VERSION_TIMEOUT_MS = 4_000

export async function askVersion(program: string, env: NodeJS.ProcessEnv, install: string): Promise<Detected> {
  const result = await exec(program, ['--version'], { env, timeoutMs: VERSION_TIMEOUT_MS })
  if (result.ok) return { ok: true, detail: result.stdout.trim() }
  if (!result.timedOut) return { ok: false, detail: execFailure(program, result), fix: install }
  const detail = `${program} --version did not answer in ${VERSION_TIMEOUT_MS / 1000} s`
  return { ok: false, detail, fix: `Find out why it hangs: ${program} --version`, timedOut: true }
}
