// The loop in this very process, until Ctrl-C or SIGTERM. Sessions continue without it.
import { fstatSync, statSync } from 'node:fs'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { createLog, logLine } from '../../../lib/log.ts'
import { configDigest, type RunFiles } from '../../../lifecycle/loop/run-state.ts'
import type { Io } from '../../io.ts'

/** A clean shutdown takes a moment at most; after that it is forced. */
const LAST_MOMENT_MS = 4_700

export async function runHere(config: OrchestratorConfig, files: RunFiles, io: Io): Promise<number> {
  const { runLoop } = await import('../../../lifecycle/loop/run-loop.ts')
  const stop = new AbortController()
  let signals = 0
  const end = () => {
    stop.abort()
    signals += 1
    // The second Ctrl-C means now.
    if (signals > 1) process.exit(130)
    setTimeout(() => process.exit(1), LAST_MOMENT_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  const write = (line: string) => io.noteText(`${io.clock.now().toISOString()} ${line}`)
  const log = createLog(io.env.AO_LOG_LEVEL, write)
  // Its activity is its output, unless a quiet one is requested.
  const isQuiet = io.env.AO_LOG_LEVEL === 'warn' || io.env.AO_LOG_LEVEL === 'error'
  const say = (line: string) => (isQuiet ? undefined : write(`ao: ${logLine(line)}\n`))
  const reload = async () => {
    const { loadConfig } = await import('../../../config/load-config.ts')
    return loadConfig({ path: config.configPath, env: io.env, home: io.home })
  }
  try {
    // In this order a change during the start is not missed.
    const digest = configDigest(config.configPath) ?? undefined
    await runLoop({
      config: await reload(),
      digest,
      reload,
      env: io.env,
      home: io.home,
      log,
      say,
      logFile: isStderr(files.log) ? files.log : null,
      stop: stop.signal,
      async serve(place) {
        const { serveDashboard } = await import('../../../dashboard/server/serve-dashboard.ts')
        const server = await serveDashboard(place, { files })
        say(`the dashboard is at ${server.origin}; open it with: ao dashboard`)
        if (io.noteIsTerminal) io.note(`  open it: ${server.link()}`)
        return server
      },
    })
    return 0
  } catch (error) {
    if (error instanceof AoError && error.code === 'LOCK_TIMEOUT' && error.details.path === files.lock) {
      throw new AoError('ALREADY_RUNNING', `A loop for ${config.configPath} runs already`, { details: error.details })
    }
    throw error
  }
}

function isStderr(file: string): boolean {
  const named = statSync(file, { throwIfNoEntry: false })
  const own = fstatSync(2)
  return named?.ino === own.ino && named.dev === own.dev
}
