// Starts a host that outlives us and waits for its one-line report.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import { openForAppend } from '../lib/plain-file.ts'
import {
  hostEnvironment,
  readReport,
  silentHost,
  smallNode,
  startDetachedReader,
} from '../lib/process/detached-host.ts'
import { ownProgram } from '../lib/process/own-program.ts'
import { killHost } from './end.ts'
import { allowLaunch, takeLaunch } from './files.ts'
import type { HostReport, HostSpec } from './spec.ts'

export function hostProgram(): string {
  return ownProgram(import.meta.url, './program.ts', 'host.cjs')
}

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
  const argv = [...smallNode(), hostProgram()]
  const { pipe, input } = startDetachedReader({ argv, env: hostEnvironment(env), log })
  closeSync(log)
  let isWaiting = true
  // A host that is gone has closed it.
  pipe.once('end', () => {
    isWaiting = false
  })
  return {
    async start(spec, timeoutMs) {
      isWaiting = false
      mkdirSync(spec.directory, { recursive: true, mode: 0o700 })
      allowLaunch(spec.directory)
      input.end(JSON.stringify(spec))
      const report = await readReport<HostReport>(pipe, timeoutMs)
      input.destroy()
      if (report) return report
      // Nothing may start later, behind our back.
      takeLaunch(spec.directory)
      killHost(spec.directory)
      return silentHost({ file: logFile, from: logSize })
    },
    isWaiting: () => isWaiting,
    discard() {
      isWaiting = false
      input.destroy()
      pipe.destroy()
    },
  }
}
