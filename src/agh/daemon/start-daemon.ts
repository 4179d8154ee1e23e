// Starts the daemon in the background and waits until it answers; stops it.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { AoError, ERROR_TABLE } from '../../contract/errors.ts'
import { withoutSession } from '../../core/environment/without-session.ts'
import { sleep } from '../../lib/clock.ts'
import { openForAppend, readIfThere, readSince } from '../../lib/plain-file.ts'
import { ownProgram } from '../../lib/process/own-program.ts'
import {
  identify,
  type ProcessIdentity,
  type ProcessState,
  parseIdentity,
  processState,
} from '../../lib/process/process-identity.ts'
import { signal } from '../../lib/process/process-tree.ts'
import { startProgram } from '../../lib/start-program.ts'
import { callDaemon } from '../client/client.ts'
import type { AghPaths } from '../paths.ts'
import { loadAghConfig } from '../setup/load-config.ts'

const START_MS = 30_000
const STOP_MS = 30_000
/** A daemon that has not answered for this long will not stop on its own either. */
const FROZEN_MS = 10_000
const SHOWN_LOG = 2_000
/**
 * The daemon is long-lived and makes much short-lived garbage: it is collected early, instead of letting the heap grow to
 * several times the live size. A smaller maximum heap makes it grow in smaller steps; a gigabyte is far above what it
 * needs.
 */
const LEAN = ['--max-semi-space-size=2', '--initial-old-space-size=24', '--max-old-space-size=1024']

export async function startDaemon(paths: AghPaths, env: NodeJS.ProcessEnv): Promise<DaemonStatus> {
  // An invalid configuration is reported here, once, instead of after starting a program that can only report the same.
  await loadAghConfig(paths)
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
  /** A process we started that is not the one answering must not come to life later, after the other has been stopped. */
  const only = (status: DaemonStatus) => {
    if (ended === null && child.pid !== status.pid) child.kill()
    return status
  }
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; ) {
    const status = await daemonStatus(paths)
    if (status) return only(status)
    // Another daemon started first: ours ended for that reason, and the other will answer soon.
    if (ended !== null && !(ended === ERROR_TABLE.DAEMON_RUNNING.exit && (await soon(paths)))) break
    await sleep(25)
  }
  const status = await daemonStatus(paths)
  if (status) return only(status)
  throw didNotStart(paths, readSince(paths.log, logSize, SHOWN_LOG))
}

/** The daemon's own message, if it left one. */
function didNotStart(paths: AghPaths, log: string): AoError {
  const said = (label: string) => new RegExp(`^${label}: (.*)$`, 'm').exec(log)?.[1]
  return new AoError('DAEMON_NOT_RUNNING', `The daemon did not start: ${said('error') ?? log.trim()}`, {
    hint: said('hint') ?? `See ${paths.log}`,
  })
}

/** null: no daemon answers. */
export async function daemonStatus(paths: AghPaths, signal?: AbortSignal): Promise<DaemonStatus | null> {
  try {
    return await callDaemon(paths.socket, 'GET /api/daemon/status', { signal })
  } catch (error) {
    if (error instanceof AoError && error.code === 'DAEMON_NOT_RUNNING') return null
    // Killed while it was being asked.
    if (['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '')) return null
    throw error
  }
}

/** What asks the daemon to end without ending its agents. */
export const LEAVE_SIGNAL = 'SIGUSR2'

/**
 * false: no daemon was running. A frozen one is killed: everything it acknowledged is on disk. `keepAgents`: they go on, and
 * the next daemon continues their sessions.
 */
export async function stopDaemon(paths: AghPaths, { keepAgents = false } = {}): Promise<boolean> {
  const identity = await findDaemon(paths)
  if (!identity) return false
  signal(identity, keepAgents ? LEAVE_SIGNAL : 'SIGTERM')
  if (await endsWithin(identity, FROZEN_MS)) return true
  if (await isFrozen(paths)) {
    signal(identity, 'SIGKILL')
    if (await endsWithin(identity, STOP_MS)) return true
  } else if (await endsWithin(identity, STOP_MS)) return true
  throw new AoError('TIMEOUT', `The daemon (pid ${identity.pid}) did not end within ${STOP_MS / 1_000} s`, {
    hint: `See ${paths.log}; as a last resort: kill -9 ${identity.pid} (its sessions are repaired at the next start)`,
  })
}

async function endsWithin(identity: ProcessIdentity, ms: number): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; ) {
    if (processState(identity) === 'dead') return true
    await sleep(25)
  }
  return false
}

/** It listens until its sessions have ended, so a daemon that is merely busy still answers. */
async function isFrozen(paths: AghPaths): Promise<boolean> {
  const late = AbortSignal.timeout(FROZEN_MS)
  await daemonStatus(paths, late).catch(() => null)
  return late.aborted
}

const ANSWER_MS = 3_000

/** From its file or, if that is missing or belongs to an earlier daemon, from the daemon itself. */
async function findDaemon(paths: AghPaths): Promise<ProcessIdentity | null> {
  const written = readIdentity(paths)
  if (written && processState(written) !== 'dead') return written
  const status = await daemonStatus(paths, AbortSignal.timeout(ANSWER_MS))
  return status && identify(status.pid)
}

async function soon(paths: AghPaths): Promise<boolean> {
  for (let tries = 0; tries < 80; tries++) {
    if (await daemonStatus(paths)) return true
    await sleep(25)
  }
  return false
}

/** none: its file is gone, as after an orderly stop. */
export function daemonProcess(paths: AghPaths): ProcessState | 'none' {
  const identity = readIdentity(paths)
  return identity ? processState(identity) : 'none'
}

function readIdentity(paths: AghPaths): ProcessIdentity | null {
  try {
    const text = readIfThere(paths.daemonFile)
    return text === null ? null : parseIdentity((JSON.parse(text) as { identity: string }).identity)
  } catch {
    // Damaged: ask the daemon instead.
    return null
  }
}

function program(): string {
  return ownProgram(import.meta.url, '../../cli/agh.ts', 'agh.js')
}
