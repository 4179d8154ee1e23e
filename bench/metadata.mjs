// Updates of one session's record against the raw cost of a durable file replacement.
import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../src/lib/log.ts'
import { createPaths } from '../src/store/paths.ts'
import { createSessionStore } from '../src/store/session/session-store.ts'
import { compare, report } from './measure.mjs'

const UPDATES = 200

export async function run() {
  console.log(`metadata (raw limit: write + fsync + rename + fsync of the directory), ${UPDATES} updates`)
  const home = mkdtempSync(join(tmpdir(), 'aob-'))
  try {
    const configPath = join(home, 'agent-orchestrator.yaml')
    const paths = createPaths({ configPath, home, env: {} }).project('app')
    const store = createSessionStore({
      projectId: 'app',
      paths,
      configPath,
      clock: { now: () => new Date() },
      log: silentLog,
    })
    store.ensure()
    await store.reserve(
      'app-1',
      { project: 'app', status: 'working' },
      { type: 'operation.started', operation: 'spawn' },
    )
    const medians = await compare(
      {
        raw: () => {
          for (let n = 0; n < UPDATES; n++) replace(home, `status=working\nn=${n}\n`)
        },
        update: async () => {
          for (let n = 0; n < UPDATES; n++) await store.update('app-1', { n: String(performance.now()) })
        },
      },
      5,
    )
    report('raw durable replacement', medians.raw / UPDATES, medians.raw / UPDATES)
    report('store.update', medians.update / UPDATES, medians.raw / UPDATES)
    console.log(`  ${Math.round(UPDATES / (medians.update / 1000))} updates a second`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function replace(folder, text) {
  const temporary = join(folder, '.raw.tmp')
  const fd = openSync(temporary, 'w')
  writeSync(fd, text)
  fsyncSync(fd)
  closeSync(fd)
  renameSync(temporary, join(folder, 'raw'))
  const directory = openSync(folder, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
