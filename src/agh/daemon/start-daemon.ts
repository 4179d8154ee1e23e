// Starts the daemon in the background and waits until it answers; ends it again.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { AoError, ERROR_TABLE } from '../../contract/errors.ts'
import { openForAppend, readIfThere, readSince } from '../../lib/plain-file.ts'
import {
  identify,
  type ProcessIdentity,
  type ProcessState,
  parseIdentity,
  processState,
} from '../../lib/process/process-identity.ts'
import { SPAWN_MARKER, signal } from '../../lib/process/process-tree.ts'
import { startProgram } from '../../lib/start-program.ts'
import { callDaemon } from '../client/client.ts'
import type { AghPaths } from '../paths.ts'
import { loadAghConfig } from '../setup/load-config.ts'

const START_MS = 30_000
const STOP_MS = 30_000
/** A daemon that answers nothing for so long will not end by itself either. */
const FROZEN_MS = 10_000
const SHOWN_LOG = 2_000
/**
 * It lives long and makes much short-lived garbage: collected early, instead of growing to several times of what is used.
 * A smaller largest heap makes it grow in smaller steps; a gigabyte is far above what it needs.
 */
const LEAN = ['--max-semi-space-size=2', '--initial-old-space-size=24', '--max-old-space-size=1024']

export async function startDaemon(paths: AghPaths, env: NodeJS.ProcessEnv): Promise<DaemonStatus> {
  // A wrong configuration is said here, once, and not after the start of a program that can only say the same.
  await loadAghConfig(paths)
  mkdirSync(dirname(paths.log), { recursive: true, mode: 0o700 })
  const log = openForAppend(paths.log)
  const logSize = fstatSync(log).size
  const { [SPAWN_MARKER]: _, ...clean } = env
  const child = startProgram(process.execPath, [...LEAN, program(), 'daemon', 'start', '--foreground'], {
    detached: true,
    stdio: ['ignore', log, log],
    env: clean,
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
  /** One of ours that is not the one that answers must not come to life later, when that one has been stopped. */
  const only = (status: DaemonStatus) => {
    if (ended === null && child.pid !== status.pid) child.kill()
    return status
  }
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; ) {
    const status = await daemonStatus(paths)
    if (status) return only(status)
    // Another one was faster: then ours ended for that reason, and theirs answers soon.
    if (ended !== null && !(ended === ERROR_TABLE.DAEMON_RUNNING.exit && (await soon(paths)))) break
    await sleep(25)
  }
  const status = await daemonStatus(paths)
  if (status) return only(status)
  throw didNotStart(paths, readSince(paths.log, logSize, SHOWN_LOG))
}

/** In the daemon's own words, when it had any. */
function didNotStart(paths: AghPaths, log: string): AoError {
  const said = (label: string) => new RegExp(`^${label}: (.*)$`, 'm').exec(log)?.[1]
  return new AoError('DAEMON_NOT_RUNNING', `The daemon did not start: ${said('error') ?? log.trim()}`, {
    hint: said('hint') ?? `See ${paths.log}`,
  })
}

/** null: none answers. */
export async function daemonStatus(paths: AghPaths, signal?: AbortSignal): Promise<DaemonStatus | null> {
  try {
    return await callDaemon(paths.socket, 'GET /api/daemon/status', { signal })
  } catch (error) {
    if (error instanceof AoError && error.code === 'DAEMON_NOT_RUNNING') return null
    // Killed while it was asked.
    if (['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '')) return null
    throw error
  }
}

/** false: none was running. One that is frozen is killed: what it acknowledged is on the disk. */
export async function stopDaemon(paths: AghPaths): Promise<boolean> {
  const identity = await findDaemon(paths)
  if (!identity) return false
  signal(identity, 'SIGTERM')
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

/** Its doors stay open until its sessions have ended, so one that is only busy answers. */
async function isFrozen(paths: AghPaths): Promise<boolean> {
  const late = AbortSignal.timeout(FROZEN_MS)
  await daemonStatus(paths, late).catch(() => null)
  return late.aborted
}

const ANSWER_MS = 3_000

/** As its file says, or, should that be lost or of an earlier one, as the daemon itself says. */
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

/** none: its file is gone, as after a stop in order. */
export function daemonProcess(paths: AghPaths): ProcessState | 'none' {
  const identity = readIdentity(paths)
  return identity ? processState(identity) : 'none'
}

function readIdentity(paths: AghPaths): ProcessIdentity | null {
  try {
    const text = readIfThere(paths.daemonFile)
    return text === null ? null : parseIdentity((JSON.parse(text) as { identity: string }).identity)
  } catch {
    // Damaged: the daemon is asked instead.
    return null
  }
}

function program(): string {
  const file = import.meta.url.endsWith('.ts') ? '../../cli/agh.ts' : './agh.js'
  return fileURLToPath(new URL(file, import.meta.url))
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
