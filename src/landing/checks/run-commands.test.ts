import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openRepository } from '../../git/repository.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { type CheckStore, checkKey, createCheckStore } from './check-store.ts'
import { runCommands } from './run-commands.ts'

const COMMIT = 'a'.repeat(40)
const COMMAND = { name: 'test', run: 'true', timeoutMs: 10_000 }
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-run-commands-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('a check whose end the disk does not take was not run: nothing waits for it as long as this process lives', async () => {
  const store = createCheckStore({ projectDir: directory })
  const full: CheckStore = {
    ...store,
    write(commit, record) {
      if (record.status !== 'running') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      store.write(commit, record)
    },
  }
  const host = { project: {}, context: { env: process.env }, repository: () => openRepository(directory, process.env) }
  const run = { commands: [COMMAND], change: null, key: COMMIT, signal: new AbortController().signal }
  const here = { in: { directory, marker: 'test' } }
  await expect(runCommands(host, { ...run, ...here, store: full })).rejects.toThrow('no space left')
  expect(store.read(COMMIT, COMMAND)).toBeNull()
  await runCommands(host, { ...run, ...here, store })
  expect(store.read(COMMIT, COMMAND)).toMatchObject({ status: 'passed' })
})

it('a run that this process has ended is over also when the disk keeps its record, and one that it is at is not', () => {
  const store = createCheckStore({ projectDir: directory })
  const record = join(directory, 'checks', COMMIT, `${checkKey(COMMAND)}.json`)
  const { name, run } = COMMAND
  store.write(COMMIT, { name, run, status: 'running', owner: formatIdentity(currentProcess()), startedAt: '' })
  expect(store.read(COMMIT, COMMAND)?.status).toBe('running')
  const kept = readFileSync(record, 'utf8')
  store.remove(COMMIT, COMMAND)
  writeFileSync(record, kept)
  expect(store.read(COMMIT, COMMAND)).toBeNull()
})
