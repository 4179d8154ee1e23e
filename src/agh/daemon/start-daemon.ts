// Starts the daemon in the background and waits until it answers.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { AoError, ERROR_TABLE } from '../../contract/errors.ts'
import { withoutSession } from '../../core/session/without-session.ts'
import { sleep } from '../../lib/clock.ts'
import { openForAppend, readSince } from '../../lib/plain-file.ts'
import { ownProgram } from '../../lib/process/own-program.ts'
import { startProgram } from '../../lib/start-program.ts'
import type { AghPaths } from '../paths.ts'
import { loadAghConfig } from '../setup/load-config.ts'
import { daemonProcess } from './daemon-file.ts'
import { steadyStatus } from './daemon-status.ts'

const START_MS = 30_000
const SHOWN_LOG = 2_000
/**
 * The daemon is long-lived and makes much short-lived garbage: it is collected early, instead of letting the heap grow to
 * several times the live size. A smaller maximum heap makes it grow in smaller steps; a gigabyte is far above what it
 * needs.
 */
const LEAN = ['--max-semi-space-size=2', '--initial-old-space-size=24', '--max-old-space-size=1024']

/** Resolves with the daemon that answers: the one started here, or another command's that was faster. */
export async function startDaemon(paths: AghPaths, env: NodeJS.ProcessEnv): Promise<DaemonStatus> {
  // An invalid configuration is reported here, once, instead of after starting a program that can only report the same.
  await loadAghConfig(paths)
  let child = launch(paths, env)
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; ) {
    const status = await steadyStatus(paths)
    if (status) return child.yieldTo(status)
    if (child.exit() === ERROR_TABLE.DAEMON_RUNNING.exit) {
      // Another one has the lock. It will answer; or it was ending, and then it is our turn.
      if (!['alive', 'unknown'].includes(daemonProcess(paths))) child = launch(paths, env)
    } else if (child.exit() !== null) break
    await sleep(25)
  }
  const status = await steadyStatus(paths)
  if (status) return child.yieldTo(status)
  throw didNotStart(paths, child)
}

interface Launched {
  pid: number | undefined
  /** null: it is running. -1: it was killed, or could not be started. */
  exit(): number | null
  /** What it has logged so far. */
  log(): string
  /** If another one answers, ours must not come to life later, after that one has been stopped. */
  yieldTo(status: DaemonStatus): DaemonStatus
}

function launch(paths: AghPaths, env: NodeJS.ProcessEnv): Launched {
  mkdirSync(dirname(paths.log), { recursive: true, mode: 0o700 })
  const log = openForAppend(paths.log)
  const logSize = fstatSync(log).size
  const child = startProgram(process.execPath, [...LEAN, program(), 'daemon', 'start', '--foreground'], {
    detached: true,
    stdio: ['ignore', log, log],
    // Named outright: the daemon must serve exactly this home, however the caller came to it.
    env: { ...withoutSession(env), AGH_HOME: paths.home },
    cwd: paths.home,
  })
  closeSync(log)
  let ended: number | null = null
  child.once('exit', (code) => {
    ended = code ?? -1
  })
  child.once('error', () => {
    ended = -1
  })
  child.unref()
  return {
    pid: child.pid,
    exit: () => ended,
    log: () => readSince(paths.log, logSize, SHOWN_LOG),
    yieldTo(status) {
      if (ended === null && child.pid !== status.pid) child.kill()
      return status
    },
  }
}

function didNotStart(paths: AghPaths, child: Launched): AoError {
  const log = child.log()
  const labelled = (label: string) => new RegExp(`^${label}: (.*)$`, 'm').exec(log)?.[1]
  const why = child.exit() === null ? stillStarting(child.pid) : (labelled('error') ?? lastOutput(log, child.exit()))
  return new AoError('DAEMON_NOT_RUNNING', `The daemon did not start: ${why}`, {
    hint: labelled('hint') ?? `See ${paths.log}`,
  })
}

function stillStarting(pid: number | undefined): string {
  return `process ${pid} has not answered for ${START_MS / 1_000} s; it may still be starting`
}

function lastOutput(log: string, exit: number | null): string {
  return log.trim() || (exit === -1 ? 'it was killed and logged nothing' : `it ended with ${exit} and logged nothing`)
}

function program(): string {
  return ownProgram(import.meta.url, '../../cli/agh.ts', 'agh.js')
}
