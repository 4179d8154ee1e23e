// Starts a host that outlives us and waits for its one-line report.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { openForAppend } from '../lib/plain-file.ts'
import { hostEnvironment, readReport, silentHost } from '../lib/process/detached-host.ts'
import { ownProgram } from '../lib/process/own-program.ts'
import { startProgram } from '../lib/start-program.ts'
import type { HostReport, HostSpec } from './host.ts'

function hostProgram(): string {
  return ownProgram(import.meta.url, './host.ts', 'agent-host.cjs')
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
