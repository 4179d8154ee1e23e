// Whether agh's daemon is running, or could be started when the first session needs it. Starts nothing.
import { createServer } from 'node:net'
import { callDaemon } from '../../agh/client.ts'
import type { AghPaths } from '../../agh/paths.ts'
import { loadAghConfig } from '../../agh/setup/load-config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { plural } from '../../core/text/format-age.ts'
import type { Detected } from '../../slots/plugin.ts'

const ANSWER_MS = 3_000

export async function detectAgh(paths: AghPaths): Promise<Detected> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const { pid, active_sessions } = await callDaemon(paths.socket, 'GET /api/daemon/status', { signal })
    return {
      ok: true,
      detail: `the agh daemon is running (process ${pid}), ${plural(active_sessions, 'active session')}`,
    }
  } catch (error) {
    if (error instanceof AoError && error.code === 'DAEMON_NOT_RUNNING') return detectStart(paths)
    const fix = `See ${paths.log}; start it anew with: agh daemon stop`
    return { ok: false, detail: `the agh daemon does not answer: ${errorText(error)}`, fix }
  }
}

async function detectStart(paths: AghPaths): Promise<Detected> {
  try {
    const { http } = await loadAghConfig(paths)
    const taken = http.port !== 0 && !(await isFree(http))
    const detail = `the agh daemon starts with the first session; they are kept in ${paths.home}`
    if (!taken) return { ok: true, detail }
    const fix = `Choose another with [http] port in ${paths.config}; 0 takes any free one`
    return { ok: true, detail: `${detail}. Port ${http.port} is taken, so it will have its socket only`, fix }
  } catch (error) {
    const fix = error instanceof AoError ? error.hint : undefined
    return { ok: false, detail: errorText(error), fix }
  }
}

function isFree({ host, port }: { host: string; port: number }): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen({ host, port }, () => probe.close(() => resolve(true)))
  })
}
