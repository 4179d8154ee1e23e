// Starts a host that outlives us and waits for its one-line report.
import { closeSync } from 'node:fs'
import { openEmpty } from '../../../lib/plain-file.ts'
import { hostEnvironment, readReport, silentHost, startDetached } from '../../../lib/process/detached-host.ts'
import { ownProgram } from '../../../lib/process/own-program.ts'
import type { HostReport } from './host.ts'
import { hostLogFile } from './host-files.ts'

export function hostProgram(): string {
  return ownProgram(import.meta.url, './host.ts', 'process-host.js')
}

/** A host does little: a small heap keeps many of them cheap. */
const NODE_FLAGS = ['--max-old-space-size=96', '--max-semi-space-size=1']

export interface HostStart {
  stateDir: string
  spawnId: string
  env: NodeJS.ProcessEnv
  timeoutMs: number
}

/** Resolves with the host's report; a host that died without one is reported with the end of its log. */
export async function startHost(start: HostStart): Promise<HostReport> {
  const { stateDir, spawnId, timeoutMs } = start
  const file = hostLogFile(stateDir)
  const log = openEmpty(file)
  try {
    const words = [...NODE_FLAGS, hostProgram(), 'host', stateDir, spawnId]
    const { pipe } = startDetached({ argv: words, env: hostEnvironment(start.env), log })
    return (await readReport<HostReport>(pipe, timeoutMs)) ?? silentHost({ file, from: 0 })
  } finally {
    closeSync(log)
  }
}
