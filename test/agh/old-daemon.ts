// A daemon from before daemons said what they can do, in a home that it then owns.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import type { AghPaths } from '../../src/agh/paths.ts'
import { formatIdentity, identify } from '../../src/lib/process/process-identity.ts'
import { waitFor } from '../support/wait-for.ts'

const PROGRAM = join(import.meta.dirname, '..', 'fixtures', 'old-agh-daemon.ts')

export async function startOldDaemon(paths: AghPaths) {
  const child = spawn(process.execPath, [PROGRAM, paths.socket], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await waitFor('its answer', async () => (await daemonStatus(paths)) !== null)
  const identity = formatIdentity(identify(child.pid!)!)
  writeFileSync(paths.daemonFile, JSON.stringify({ identity, started_at: '2026-01-01T00:00:00.000Z', http: null }))
  return {
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async end() {
      child.kill()
      await ended
    },
  }
}
