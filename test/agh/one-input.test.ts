// No single input stops everything: the others continue.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callDaemon } from '../../src/agh/client.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { getSession, promptSession, readEvents, stopSession } from '../../src/agh/runtime.ts'
import { openDatabase } from '../../src/agh/store/database.ts'
import { historyFile } from '../../src/agh/store/meta-file.ts'
import { THOROUGH } from '../support/cover.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome, text } from './agh-home.ts'

let agh: AghHome
beforeEach(() => {
  agh = createAghHome({ config: { permissions: { mode: 'approve-all' } } })
})
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

/** Longest time that everybody was kept waiting while this ran, in ms. */
async function longestBlock(act: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  await act()
  delay.disable()
  return delay.max / 1e6
}

describe('a file that is not a plain one', () => {
  it.each([
    ['a named pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['a directory', (path: string) => void mkdirSync(path)],
    [
      'a socket',
      (path: string) => {
        const server = createServer().listen(path)
        server.unref()
      },
    ],
    ['a device without end', (path: string) => void spawnSync('mknod', [path, 'c', '1', '5'])],
  ])('S4.58 is refused when it is %s, to read and to write, and nobody waits for it', async (_what, make) => {
    make(join(agh.workspace, 'odd'))
    const { id } = await agh.create()
    const output = text(await agh.prompt(id, 'read odd\nwrite odd x'))
    // Without permission to create devices there is nothing at all.
    if (!output.includes('Resource not found')) expect(output.match(/not a plain file/g)).toHaveLength(2)
    expect(await stopSession(agh.context, id, null)).toMatchObject({ state: 'stopped' })
  })

  it('is refused when it is too large, without being read', async () => {
    execFileSync('truncate', ['-s', '8G', join(agh.workspace, 'sparse')])
    const { id } = await agh.create()
    expect(text(await agh.prompt(id, 'read sparse'))).toContain('is larger than')
  })
})

describe('an agent that does not read its input', () => {
  it('S4.58 costs one reply of memory, leaves the others alone, and can be stopped', async () => {
    writeFileSync(join(agh.workspace, 'large'), 'x'.repeat(10 * 1024 * 1024))
    const [deaf, other] = await Promise.all([agh.create(), agh.create()])
    const before = process.memoryUsage.rss()
    await promptSession(agh.context, deaf.id, 'deaf 250 large')
    const host = agh.context.live.get(deaf.id)!.process!
    await waitFor('a full pipe', () => Promise.race([host.drained().then(() => false), sleep(20).then(() => true)]))
    const blocked = await longestBlock(async () => {
      for (let time = 0; time < 5; time++) {
        await agh.prompt(other.id, 'say still here')
        await sleep(100)
      }
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024)
    expect(blocked).toBeLessThan(1_000)
    expect(await getSession(agh.context, other.id)).toMatchObject({ state: 'active', failure: null })
    expect(await stopSession(agh.context, deaf.id, null)).toMatchObject({ state: 'stopped' })
  })
})

// Two times limits of twenty seconds.
describe.runIf(THOROUGH)('a daemon that no longer answers', () => {
  it('S4.58 is noticed by the waiting command, and ended by a stop', async () => {
    const { paths, env } = agh.context
    writeFileSync(paths.config, '[http]\nport = 0\n')
    const { pid } = await startDaemon(paths, env)
    process.kill(pid, 'SIGSTOP')
    const waiting = callDaemon(paths.socket, 'GET /api/sessions')
    await expect(waiting).rejects.toMatchObject({ code: 'TIMEOUT', hint: expect.stringContaining('agh daemon stop') })
    expect(await stopDaemon(paths)).toBe(true)
    expect(await stopDaemon(paths)).toBe(false)
  }, 120_000)
})

describe('a history that another program keeps locked', () => {
  it('delays its own session only, and the prompt is taken when the lock is gone', async () => {
    const [locked, other] = await Promise.all([agh.create(), agh.create()])
    const stranger = await openDatabase(historyFile(agh.context.paths, locked.id))
    stranger.exec('BEGIN IMMEDIATE')
    const prompted = promptSession(agh.context, locked.id, 'say at last')
    const blocked = await longestBlock(async () => {
      expect(text(await agh.prompt(other.id, 'say me first'))).toBe('me first')
      expect(await readEvents(agh.context, locked.id, 0, 100)).not.toEqual([])
    })
    expect(blocked).toBeLessThan(1_000)
    expect((await getSession(agh.context, locked.id)).state).toBe('active')
    stranger.exec('COMMIT')
    stranger.close()
    await (await prompted).ended
    expect(text(await agh.events(locked.id))).toBe('at last')
    const numbers = (await agh.events(locked.id)).map(({ sequence }) => sequence)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  it('refuses a prompt that it cannot record in time, leaves no trace of it, and continues afterwards', async () => {
    const { id } = await agh.create()
    const stranger = await openDatabase(historyFile(agh.context.paths, id))
    stranger.exec('BEGIN IMMEDIATE')
    await expect(promptSession(agh.context, id, 'say never')).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    stranger.exec('COMMIT')
    stranger.close()
    expect(text(await agh.prompt(id, 'say again'))).toBe('again')
    expect((await agh.events(id)).filter(({ type }) => type === 'user_message')).toHaveLength(1)
  })

  it('keeps what a stream says meanwhile, in order and without gaps', async () => {
    const { id } = await agh.create()
    const { ended } = await promptSession(agh.context, id, 'say go\nsleep 300\nstream 3000')
    await waitFor('its first words', async () => text(await agh.events(id)) === 'go')
    const stranger = await openDatabase(historyFile(agh.context.paths, id))
    stranger.exec('BEGIN IMMEDIATE')
    await sleep(1_500)
    stranger.exec('COMMIT')
    stranger.close()
    await ended
    const events = await agh.events(id)
    expect(text(events)).toBe(`go${Array.from({ length: 3_000 }, (_, index) => `${index} `).join('')}`)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  })

  it('S4.58 lets a stop end all the same', async () => {
    const { id } = await agh.create()
    const stranger = await openDatabase(historyFile(agh.context.paths, id))
    stranger.exec('BEGIN IMMEDIATE')
    const began = performance.now()
    expect(await stopSession(agh.context, id, null)).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
    expect(performance.now() - began).toBeLessThan(25_000)
    stranger.exec('COMMIT')
    stranger.close()
  })
})
