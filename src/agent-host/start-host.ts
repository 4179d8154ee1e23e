// Starts a host that outlives us and waits for its one-line report.
import { closeSync, fstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { openForAppend } from '../lib/plain-file.ts'
import { hostEnvironment, readReport, silentHost } from '../lib/process/detached-host.ts'
import { startProgram } from '../lib/start-program.ts'
import type { HostReport, HostSpec } from './host.ts'

/** The host's program: one file next to the bundle. From source the same file if it is current, because it starts faster. */
function hostProgram(): string {
  const here = fileURLToPath(new URL('.', import.meta.url))
  if (!import.meta.url.endsWith('.ts')) return join(here, 'agent-host.cjs')
  const built = join(here, '../../dist/agent-host.cjs')
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const isCurrent = readdirSync(here).every((name) => statSync(join(here, name)).mtimeMs < builtAt)
  return isCurrent ? built : join(here, 'host.ts')
}

/** A host does little: a small heap keeps many of them cheap. */
const NODE_FLAGS = ['--max-old-space-size=96', '--max-semi-space-size=1', '--v8-pool-size=1']

/** A host that waits for what it shall start. It ends with us when it never gets it. */
export interface WaitingHost {
  /** Resolves with its report; a host that died without one is reported with the end of its log. */
  start(spec: HostSpec, timeoutMs: number): Promise<HostReport>
  /** It lives, and was given nothing to start. */
  isWaiting(): boolean
  /** It is not needed. */
  discard(): void
}

/** `logFile`: for what Node itself says when a host crashes. */
export function openHost(env: NodeJS.ProcessEnv, logFile: string): WaitingHost {
  const log = openForAppend(logFile)
  const logSize = fstatSync(log).size
  const child = startProgram(process.execPath, [...NODE_FLAGS, hostProgram()], {
    cwd: '/',
    env: hostEnvironment(env),
    stdio: ['pipe', log, log, 'pipe'],
    detached: true,
  })
  closeSync(log)
  let isWaiting = true
  // A program that cannot be started closes the pipe, which is what we wait for.
  child.on('error', () => undefined)
  child.once('exit', () => {
    isWaiting = false
  })
  child.stdin?.on('error', () => undefined)
  const report = child.stdio[3] as Readable | null
  return {
    async start(spec, timeoutMs) {
      isWaiting = false
      mkdirSync(spec.directory, { recursive: true, mode: 0o700 })
      child.stdin?.end(JSON.stringify(spec))
      const said = await readReport<HostReport>(report, timeoutMs)
      child.unref()
      if (said) return said
      child.kill('SIGKILL')
      return silentHost({ file: logFile, from: logSize })
    },
    isWaiting: () => isWaiting,
    discard() {
      isWaiting = false
      child.kill('SIGKILL')
    },
  }
}
