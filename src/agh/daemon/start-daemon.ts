// Starts the daemon in the background and waits until it answers; ends it again.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { openForAppend, readIfThere, readSince } from '../../lib/plain-file.ts'
import { type ProcessIdentity, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import { SPAWN_MARKER, signal } from '../../lib/process/process-tree.ts'
import { startProgram } from '../../lib/start-program.ts'
import { callDaemon } from '../client/client.ts'
import type { AghPaths } from '../paths.ts'

const START_MS = 30_000
const STOP_MS = 30_000
const SHOWN_LOG = 2_000
/**
 * It lives long and makes much short-lived garbage: collected early, instead of growing to several times of what is used.
 * A smaller largest heap makes it grow in smaller steps; a gigabyte is far above what it needs.
 */
const LEAN = ['--max-semi-space-size=2', '--initial-old-space-size=24', '--max-old-space-size=1024']

export async function startDaemon(paths: AghPaths, env: NodeJS.ProcessEnv): Promise<DaemonStatus> {
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
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  child.once('error', () => {
    ended = true
  })
  child.unref()
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; ) {
    const status = await daemonStatus(paths)
    if (status) return status
    // Another one may have been faster: then ours ended, and theirs answers soon.
    if (ended && !(await soon(paths))) break
    await sleep(25)
  }
  const status = await daemonStatus(paths)
  if (status) return status
  throw new AoError(
    'DAEMON_NOT_RUNNING',
    `The daemon did not start: ${readSince(paths.log, logSize, SHOWN_LOG).trim()}`,
    {
      hint: `See ${paths.log}`,
    },
  )
}

/** null: none answers. */
export async function daemonStatus(paths: AghPaths): Promise<DaemonStatus | null> {
  try {
    return await callDaemon(paths.socket, 'GET /api/daemon/status')
  } catch (error) {
    if (error instanceof AoError && error.code === 'DAEMON_NOT_RUNNING') return null
    // Killed while it was asked: it runs no more.
    if (['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '')) return null
    throw error
  }
}

/** false: none ran. */
export async function stopDaemon(paths: AghPaths): Promise<boolean> {
  const identity = readIdentity(paths)
  if (!identity || processState(identity) === 'dead') return false
  signal(identity, 'SIGTERM')
  for (const deadline = performance.now() + STOP_MS; performance.now() < deadline; ) {
    if (processState(identity) === 'dead') return true
    await sleep(25)
  }
  throw new AoError('TIMEOUT', `The daemon (pid ${identity.pid}) did not end within ${STOP_MS / 1_000} s`, {
    hint: `See ${paths.log}`,
  })
}

async function soon(paths: AghPaths): Promise<boolean> {
  for (let tries = 0; tries < 80; tries++) {
    if (await daemonStatus(paths)) return true
    await sleep(25)
  }
  return false
}

function readIdentity(paths: AghPaths): ProcessIdentity | null {
  const text = readIfThere(paths.daemonFile)
  return text === null ? null : parseIdentity((JSON.parse(text) as { identity: string }).identity)
}

function program(): string {
  const file = import.meta.url.endsWith('.ts') ? '../../cli/agh.ts' : './agh.js'
  return fileURLToPath(new URL(file, import.meta.url))
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
