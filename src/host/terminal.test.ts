// The real host with an agent on a terminal, and clients that vanish at any moment.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../test/support/wait-for.ts'
import { readReport } from '../lib/process/detached-host.ts'
import { parseIdentity, processState } from '../lib/process/process-identity.ts'
import { findBySpawnMarker, stopProcesses } from '../lib/process/process-tree.ts'
import { askHost, NoHostError, openClient } from './client.ts'
import { hostDirectory, readExitRecord, readHostRecord } from './files.ts'
import { preventLaunch } from './launches.ts'
import type { AgentExit } from './protocol.ts'
import { hostProgram, openHost } from './start.ts'

let base: string
let spawnId: string
const directory = () => hostDirectory(base, spawnId)
const socket = () => join(base, 's')
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'host-'))
  spawnId = `test-${process.pid}-${Math.random()}`
})
afterEach(async () => {
  const host = parseIdentity(readHostRecord(directory())?.host ?? '')
  await stopProcesses(spawnId, host ? [host] : [], { graceMs: 0 })
  rmSync(base, { recursive: true, force: true })
})

const specOf = (command: string[]) => ({
  directory: directory(),
  spawnId,
  name: 'app-1',
  command,
  cwd: tmpdir(),
  env: { PATH: process.env.PATH ?? '' },
  terminal: { socket: socket(), cols: 80, rows: 24, recording: null },
})
const start = (command: string[]) => openHost(process.env, join(base, 'log')).start(specOf(command), 15_000)
const visible = (text: string) => (screen: string) => screen.includes(text)
const untilScreen = (isThere: (screen: string) => boolean) =>
  waitFor('the screen', async () => isThere(await askHost(socket(), 5_000, (client) => client.screen({ lines: 100 }))))

describe('an agent on a terminal', () => {
  it('gets an input once, however often and over however many connections it is sent', async () => {
    const log = join(base, 'lines')
    await start(['sh', '-c', `echo ready; while read line; do echo "$line" >> '${log}'; done`])
    await untilScreen(visible('ready'))
    // One that vanishes before it hears that it was entered.
    const lost = await openClient(socket())
    void lost.press('first\r', 'k1').catch(() => undefined)
    await lost.close()
    for (let time = 0; time < 3; time++) {
      expect(await askHost(socket(), 5_000, (client) => client.press('first\r', 'k1'))).toMatchObject({ ok: true })
    }
    await askHost(socket(), 5_000, (client) => client.paste('second', 'k2'))
    await askHost(socket(), 5_000, (client) => client.paste('second', 'k2'))
    await askHost(socket(), 5_000, (client) => client.press('\rthird\r'))
    await waitFor('all of it', () => existsSync(log) && readFileSync(log, 'utf8').includes('third'))
    expect(readFileSync(log, 'utf8')).toBe('first\nsecond\nthird\n')
  })

  it('ends, which is recorded as soon as it can be: until then its host stays', async () => {
    await start(['sh', '-c', 'echo working; read line; exit 3'])
    await untilScreen(visible('working'))
    // Nothing can be written there.
    mkdirSync(join(directory(), 'exit.json'))
    let exit: AgentExit | null = null
    const client = await openClient(socket(), {
      onExit: (status) => {
        exit = status
      },
    })
    await client.press('\r')
    const { host, agent } = readHostRecord(directory())!
    await waitFor('the end of the agent', () => processState(parseIdentity(agent!)!) === 'dead')
    await waitFor('a complaint', () => readFileSync(join(base, 'log'), 'utf8').includes('cannot be recorded'))
    expect(exit).toBeNull()
    expect(processState(parseIdentity(host)!)).toBe('alive')
    rmdirSync(join(directory(), 'exit.json'))
    await waitFor('the end of the host', () => processState(parseIdentity(host)!) === 'dead')
    expect(readExitRecord(directory())).toMatchObject({ code: 3, signal: null, screen: 'working', spawnId })
    expect(exit).toEqual({ code: 3, signal: null })
    await expect(openClient(socket())).rejects.toThrow(NoHostError)
  })

  it('is never started when its launch was withdrawn', async () => {
    mkdirSync(directory(), { recursive: true })
    writeFileSync(join(directory(), 'launch'), '')
    preventLaunch(base, spawnId)
    const child = spawn(process.execPath, [hostProgram()], { stdio: ['pipe', 'ignore', 'inherit', 'pipe'] })
    child.stdin!.end(JSON.stringify(specOf(['sleep', '60'])))
    const report = await readReport(child.stdio[3] as Readable, 15_000)
    expect(report).toEqual({ ok: false, message: 'its launch was withdrawn', code: null })
    await waitFor('the end of the host', () => child.exitCode !== null)
    expect(findBySpawnMarker(spawnId)).toEqual([])
    expect(existsSync(directory())).toBe(false)
  })

  it('is refused to a reader, because there is nothing to read from an offset', async () => {
    await start(['sleep', '60'])
    const { connectHost, readHost } = await import('./read.ts')
    const nothing = () => undefined
    const events = { onOutput: nothing, onError: nothing, onClosed: nothing, onExit: nothing, onLost: nothing }
    await expect(readHost(await connectHost(socket()), 0, events)).rejects.toThrow(/has a terminal/)
  })
})
