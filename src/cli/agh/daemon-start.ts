// `agh daemon start`: start the daemon, if it does not run.
import { daemonStatus, startDaemon } from '../../agh/daemon/start-daemon.ts'
import { type AghPaths, aghPaths } from '../../agh/paths.ts'
import { createLog } from '../../lib/log.ts'
import { defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const daemonStartCommand = defineCommand({
  program: 'agh',
  name: 'daemon start',
  about: 'Start the daemon, if it does not run',
  args: {},
  options: { foreground: { about: 'Stay here and log to stderr' }, ...OUTPUT_OPTIONS },
  async run({ options }, io) {
    const format = outputFormat(options)
    const paths = aghPaths(io.env, io.home)
    if (options.foreground) return runHere(paths, io)
    const status = (await daemonStatus(paths)) ?? (await startDaemon(paths, io.env))
    printOne(io, format, status, () => [`running  pid ${status.pid}  ${status.http}`])
  },
})

async function runHere(paths: AghPaths, io: Io): Promise<undefined> {
  const { runDaemon } = await import('../../agh/daemon/run-daemon.ts')
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stop.abort())
  const log = createLog(io.env.AGH_LOG_LEVEL ?? 'info', io.noteRaw, 'agh')
  await runDaemon({ paths, env: io.env, log, stop: stop.signal })
}
