// The loop in this very process, until Ctrl-C or SIGTERM. Sessions continue without it. Other configurations may join: each
// has a loop of its own here, and all share one page.
import { fstatSync, statSync } from 'node:fs'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { isLocal } from '../../../dashboard/access/listen-address.ts'
import type { DashboardServer } from '../../../dashboard/server/serve-dashboard.ts'
import { createLog, logLine } from '../../../lib/log.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import { changeMembers, withMember } from '../../../lifecycle/loop/members.ts'
import type { RunOptions, Served, ServedRepository } from '../../../lifecycle/loop/run-loop.ts'
import { configDigest, type RunFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import type { CommandTable } from '../../command.ts'
import { loadTools } from '../../command-table.ts'
import type { Io } from '../../print/io.ts'
import { restartWhenReplaced } from './restart-when-replaced.ts'
import { watchMembers } from './watch-members.ts'

/** A clean shutdown takes a moment at most; after that it is forced. */
const LAST_MOMENT_MS = 4_700

const OUT_OF_DESCRIPTORS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE'])

export async function runHere(
  config: OrchestratorConfig,
  files: RunFiles,
  io: Io,
  table: CommandTable,
): Promise<number> {
  const { runLoop } = await import('../../../lifecycle/loop/run-loop.ts')
  const stop = new AbortController()
  onSignals(() => stop.abort())
  const write = (line: string) => io.noteText(`${io.clock.now().toISOString()} ${line}`)
  const log = createLog(io.env.AO_LOG_LEVEL, write)
  process.on('unhandledRejection', (error) => {
    // Whatever nobody waits for may fail while there are no free descriptors: the loop stays, and the next round repeats it.
    if (!OUT_OF_DESCRIPTORS.has((error as NodeJS.ErrnoException | null)?.code ?? '')) throw error
    log.error(String(error))
  })
  // Its activity is its output, unless a quiet one is requested.
  const isQuiet = io.env.AO_LOG_LEVEL === 'warn' || io.env.AO_LOG_LEVEL === 'error'
  const say = (line: string) => (isQuiet ? undefined : write(`ao: ${logLine(line)}\n`))
  const restart = restartWhenReplaced({ home: io.home, end: () => stop.abort(), say, stop: stop.signal })
  const common = { env: io.env, home: io.home, log, say, logFile: isStderr(files.log) ? files.log : null }
  const host = createPaths({ configPath: config.configPath, home: io.home, env: io.env }).hash
  const joins = isLocal(config) ? { joins: true as const } : {}
  let server: DashboardServer | null = null
  const serve: RunOptions['serve'] = async (repository) => {
    const { serveDashboard } = await import('../../../dashboard/server/serve-dashboard.ts')
    const opened = await serveDashboard(repository, { files, tools: () => loadTools(table) })
    server = opened
    say(`the dashboard is at ${opened.origin}; open it with: ao dashboard`)
    if (io.noteIsTerminal) io.note(`  open it: ${opened.link()}`)
    const me = { configPath: config.configPath, process: formatIdentity(currentProcess()) }
    await changeMembers(io.home, withMember(me))
    const served: Served = {
      get port() {
        return opened.port
      },
      get reached() {
        return opened.reached
      },
      use: opened.use,
      complain: opened.complain,
      close: opened.leave,
    }
    return withLists(repository, files, served)
  }
  const members = watchMembers({
    home: io.home,
    log,
    stop: stop.signal,
    first: {
      configPath: config.configPath,
      run: async (ended) => {
        const loaded = await load(config.configPath, io)
        await runLoop({ ...common, ...loaded, stop: ended, serve, shared: joins })
      },
    },
    async run(configPath, ended) {
      const paths = createPaths({ configPath, home: io.home, env: io.env })
      const { runFiles } = await import('../../../lifecycle/loop/run-state.ts')
      const loaded = await load(configPath, io)
      await runLoop({
        ...common,
        ...loaded,
        stop: ended,
        shared: { host, ...joins },
        serve: async (served) => withLists(served, runFiles(paths), server!.join(served, runFiles(paths).deliveries)),
      })
    },
  })
  try {
    await members.ended
    return 0
  } catch (error) {
    if (error instanceof AoError && error.code === 'LOCK_TIMEOUT' && error.details.path === files.lock) {
      throw new AoError('ALREADY_RUNNING', `A loop for ${config.configPath} runs already`, { details: error.details })
    }
    throw error
  } finally {
    await (server as DashboardServer | null)?.close()
    await restart.ifReplaced()
  }
}

/** Commands of this user get their lists from here, as long as the page is served. */
async function withLists(repository: ServedRepository, files: RunFiles, served: Served): Promise<Served> {
  const { serveLists } = await import('../lists/serve-lists.ts')
  const lists = await serveLists(repository, files.socket)
  return {
    get port() {
      return served.port
    },
    get reached() {
      return served.reached
    },
    async use(next) {
      await served.use(next)
      lists.use(next)
    },
    complain: served.complain,
    async close() {
      await lists.close()
      await served.close()
    },
  }
}

/** The configuration with the digest of the file that it was read from: a change in between is noticed. */
async function load(configPath: string, io: Io): Promise<Pick<RunOptions, 'config' | 'digest' | 'reload'>> {
  const { loadConfig } = await import('../../../config/load-config.ts')
  const reload = async () => loadConfig({ path: configPath, env: io.env, home: io.home })
  const digest = configDigest(configPath) ?? undefined
  return { config: await reload(), digest, reload }
}

function onSignals(end: () => void): void {
  let signals = 0
  const stop = () => {
    end()
    signals += 1
    // The second Ctrl-C means now.
    if (signals > 1) process.exit(130)
    setTimeout(() => process.exit(1), LAST_MOMENT_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
}

function isStderr(file: string): boolean {
  const named = statSync(file, { throwIfNoEntry: false })
  const own = fstatSync(2)
  return named?.ino === own.ino && named.dev === own.dev
}
