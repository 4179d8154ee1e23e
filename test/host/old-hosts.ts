// Hosts of version 0.1, from bundles of their programs (test/fixtures/old-hosts), started as that version started them.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { HostPool } from '../../src/agh/acp/host-pool.ts'
import { chooseSocketPath } from '../../src/host/socket-path.ts'
import type { HostReport } from '../../src/host/spec.ts'
import { readReport } from '../../src/lib/process/detached-host.ts'
import type { RuntimeLaunch } from '../../src/slots/runtime.ts'

const BUNDLES = join(import.meta.dirname, '..', 'fixtures', 'old-hosts')
const START_MS = 20_000

/** For agh: every agent gets a host of that version. */
export function oldHostPool(): HostPool {
  return {
    prepare: () => undefined,
    close: () => undefined,
    take: () => ({
      isWaiting: () => false,
      discard: () => undefined,
      async start(spec) {
        mkdirSync(spec.directory, { recursive: true, mode: 0o700 })
        const child = spawn(process.execPath, [join(BUNDLES, 'agent-host.cjs')], {
          stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
          detached: true,
        })
        child.stdin!.end(JSON.stringify(spec))
        const report = await readReport<HostReport>(child.stdio[3] as Readable, START_MS)
        child.unref()
        return report!
      },
    }),
  }
}

/** An agent on a terminal, for the process runtime. */
export async function startOldTerminal(home: string, launch: RuntimeLaunch): Promise<void> {
  const { name, spawnId, stateDir, command, environment, workspacePath } = launch
  const socket = chooseSocketPath({ home, env: {}, key: `${name} ${spawnId}` })
  const spec = { name, spawnId, command, environment, workspacePath, socket, cols: 120, rows: 40, isRecorded: true }
  writeFileSync(join(stateDir, `process-launch-${spawnId}.json`), JSON.stringify(spec), { mode: 0o600 })
  const child = spawn(process.execPath, [join(BUNDLES, 'process-host.mjs'), 'host', stateDir, spawnId], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    detached: true,
  })
  const report = await readReport<HostReport>(child.stdio[3] as Readable, START_MS)
  child.unref()
  if (!report?.ok) throw new Error(`the old host did not start: ${JSON.stringify(report)}`)
}
