// An agent's host, read over connections that break at any byte.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { brittleWire } from '../../test/support/brittle-wire.ts'
import { createRandom } from '../rehearsal/random.ts'
import { followHost, type HostSource } from './follow.ts'
import { createInbox } from './inbox.ts'
import { type AgentExit, type HostFrame, MAX_PAYLOAD } from './protocol.ts'
import type { HostEvents, Loss } from './read.ts'
import { createReaders, type Hosted, listenPrivately } from './serve.ts'
import { createSpool } from './spool.ts'

const LINES = 60
const SEVEN: AgentExit = { code: 7, signal: null }

/** An agent that answers each line that it reads with the same line; it ends after its input. */
function createEcho(directory: string, exit = SEVEN) {
  const spool = createSpool(directory, { fileBytes: 64, maxBytes: 1024 * 1024 })
  const stdin = new PassThrough()
  const inbox = createInbox()
  const endings: Array<{ at: number; frame: HostFrame }> = []
  let heard = ''
  let hasLeft = false
  const stopped: number[] = []
  const hosted: Hosted = {
    state: () => ({
      spawnId: 's',
      host: 'h',
      agent: null,
      taken: inbox.taken(),
      stderr: { total: 0, tail: '' },
      exit: null,
      keep: null,
    }),
    inbox,
    write: (bytes) => new Promise((resolve) => stdin.write(bytes, (error) => resolve({ ok: !error }))),
    stop: async (graceMs) => {
      stopped.push(graceMs)
      stdin.end()
      return []
    },
    ended: new Promise(() => undefined),
    pipes: {
      spool,
      onRoom: () => undefined,
      endInput: () => void stdin.end(),
      leave: () => {
        hasLeft = true
      },
      endings: () => endings,
    },
  }
  const readers = createReaders(hosted)
  stdin.on('data', (chunk: Buffer) => {
    heard += chunk
    const at = spool.end()
    spool.append(chunk)
    readers.pump(chunk, at)
  })
  stdin.on('end', () => {
    endings.push({ at: spool.end(), frame: { op: 'exit', ...exit } })
    readers.pump()
  })
  return { readers, spool, inbox, heard: () => heard, hasLeft: () => hasLeft, stopped }
}

/** What a reader gets, and its end. */
function collect() {
  const exit = Promise.withResolvers<AgentExit>()
  const lost = Promise.withResolvers<{ why: string; loss: Loss }>()
  const got = { output: '', errors: '', end: 0 }
  const events: HostEvents = {
    onOutput(chunk, at) {
      expect(at).toBe(got.end)
      got.output += chunk
      got.end = at + chunk.length
    },
    onError: (chunk) => {
      got.errors += chunk
    },
    onClosed: () => undefined,
    onExit: exit.resolve,
    onLost: (why, loss) => lost.resolve({ why, loss }),
  }
  return { events, got, exit: exit.promise, lost: lost.promise }
}

const noEnd = () => null
type Accept = Parameters<typeof brittleWire>[1]
const soon = () => new Promise((resolve) => setImmediate(resolve))

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'follow-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('a host stays when it cannot accept a connection, however often that happens', async () => {
  const server = await listenPrivately(join(directory, 's'), createServer())
  for (let times = 0; times < 3; times++) server.emit('error', new Error('accept EIO'))
  expect(server.listening).toBe(true)
  await new Promise((resolve) => server.close(resolve))
})

describe('a reader of a host', () => {
  it('loses nothing and doubles nothing, wherever the connection breaks and whenever it pauses', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = createRandom(seed)
      const agent = createEcho(directory)
      const { events, got, exit } = collect()
      const source: HostSource = {
        connect: async () => brittleWire(200 + random.below(1_500), agent.readers.accept),
        ended: noEnd,
      }
      const link = await followHost(source, 0, events, { retryMs: [0], connectsWithinMs: 5_000 })
      link.resume()
      const lines = Array.from({ length: LINES }, (_, n) => `{"n":${n}}\n`)
      const written = lines.map(async (line, n) => link.write(Buffer.from(line), n % 2 === 0 ? `key:${n}` : undefined))
      for (let n = 0; n < LINES; n++) {
        const way = random.below(5)
        if (way === 0) link.pause()
        else if (way === 1) link.resume()
        else if (way === 2) link.commit(got.end)
        await soon()
      }
      link.resume()
      await Promise.all(written)
      link.endInput()
      expect(await exit).toEqual(SEVEN)
      expect(agent.heard()).toBe(lines.join(''))
      expect(got.output).toBe(lines.join(''))
      // Nobody else would ever say that keys of its own may be forgotten.
      expect(agent.inbox.taken().filter((key) => key.startsWith('own:')).length).toBeLessThan(5)
      link.close()
      agent.spool.close()
      rmSync(directory, { recursive: true, force: true })
      directory = mkdtempSync(join(tmpdir(), 'follow-'))
    }
  })

  it('ends with what is known of the agent when its place is gone, after the output that came home', async () => {
    const agent = createEcho(directory)
    const { events, got, exit } = collect()
    let isGone = false
    const source: HostSource = {
      connect: async () => {
        if (isGone) throw new Error('no line')
        return brittleWire(2_000, agent.readers.accept)
      },
      ended: () =>
        isGone
          ? {
              exit: { code: null, signal: 'SIGKILL' },
              why: 'the container no longer exists',
              remark: 'the container no longer exists',
              leftover: (after) => [Buffer.from('one\ntwo\nthree\n').subarray(after)],
            }
          : null,
    }
    const link = await followHost(source, 0, events, { retryMs: [0] })
    link.resume()
    await link.write(Buffer.from('one\n'))
    link.pause()
    await soon()
    isGone = true
    const unheard = link.write(Buffer.alloc(4_000, 'x'), 'lost').catch((error: Error) => error.message)
    await soon()
    link.resume()
    expect(await exit).toEqual({ code: null, signal: 'SIGKILL' })
    expect(got.output).toBe('one\ntwo\nthree\n')
    expect(got.errors).toBe('the container no longer exists\n')
    expect(await unheard).toBe('the container no longer exists')
    agent.spool.close()
  })

  it('lets go when what came home of its end cannot be read', async () => {
    const agent = createEcho(directory)
    const { events, lost } = collect()
    let isGone = false
    const source: HostSource = {
      async connect() {
        if (isGone) throw new Error('no line')
        isGone = true
        return brittleWire(300, agent.readers.accept)
      },
      ended() {
        throw new Error('EIO: i/o error')
      },
    }
    const link = await followHost(source, 0, events, { retryMs: [0] })
    link.resume()
    await link.write(Buffer.alloc(4_000, 'x'), 'lost').catch(() => undefined)
    expect(await lost).toEqual({ why: 'EIO: i/o error', loss: 'unreachable' })
    agent.spool.close()
  })

  it.each([
    ['nobody answers there', async () => Promise.reject(new Error('connect ECONNREFUSED'))],
    ['whatever answers breaks off at once', async (accept: Accept) => brittleWire(0, accept)],
    ['every connection breaks before anything comes of it', async (accept: Accept) => brittleWire(350, accept)],
  ])('gives up after its time when %s, and leaves open what became of the agent', async (_what, again) => {
    const agent = createEcho(directory)
    const { events, lost } = collect()
    let connections = 0
    const connect = () =>
      connections++ === 0 ? Promise.resolve(brittleWire(700, agent.readers.accept)) : again(agent.readers.accept)
    const link = await followHost({ connect, ended: noEnd, triesForMs: 60 }, 0, events, { retryMs: [1, 20] })
    link.resume()
    const unheard = link.write(Buffer.alloc(4_000, 'x'), 'lost').catch((error: Error) => error)
    expect((await lost).loss).toBe('unreachable')
    expect(await unheard).toBeInstanceOf(Error)
    expect(link.isConnected()).toBe(false)
    expect(connections).toBeLessThan(10)
    agent.spool.close()
  })

  it('that was closed while it was away does not come back: it would replace the next reader', async () => {
    const agent = createEcho(directory)
    const { events, lost } = collect()
    let connections = 0
    const connect = async () => brittleWire(connections++ === 0 ? 350 : 1_000_000, agent.readers.accept)
    const link = await followHost({ connect, ended: noEnd }, 0, events, { retryMs: [5] })
    void link.write(Buffer.alloc(4_000, 'x'), 'lost').catch(() => undefined)
    for (let rounds = 0; rounds < 1_000 && link.isConnected(); rounds++) await soon()
    link.close()
    expect((await lost).loss).toBe('unreachable')
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(connections).toBe(1)
    agent.spool.close()
  })

  it('takes what a killed host left, and does not say how the agent ended', async () => {
    const agent = createEcho(directory)
    const { events, got, lost } = collect()
    let isGone = false
    const source: HostSource = {
      async connect() {
        if (isGone) throw new Error('nobody')
        isGone = true
        return brittleWire(350, agent.readers.accept)
      },
      ended: () => ({
        exit: null,
        why: 'its host is gone',
        leftover: (after) => [Buffer.from('one\ntwo\n').subarray(after)],
      }),
    }
    const link = await followHost(source, 0, events, { retryMs: [0] })
    link.resume()
    void link.write(Buffer.alloc(4_000, 'x'), 'lost').catch(() => undefined)
    expect(await lost).toEqual({ why: 'its host is gone', loss: 'ended' })
    expect(got).toMatchObject({ output: 'one\ntwo\n', errors: '' })
    agent.spool.close()
  })

  it('passes a stop on, also when the connection breaks before it arrives, and hears how the agent ended', async () => {
    const killed: AgentExit = { code: null, signal: 'SIGKILL' }
    const agent = createEcho(directory, killed)
    const { events, exit } = collect()
    let connections = 0
    // The first connection breaks in the middle of the stop.
    const connect = async () => brittleWire(connections++ === 0 ? 240 : 1_000_000, agent.readers.accept)
    const link = await followHost({ connect, ended: noEnd }, 0, events, { retryMs: [0] })
    link.resume()
    await link.stop(5)
    expect(await exit).toEqual(killed)
    expect(new Set(agent.stopped)).toEqual(new Set([5]))
    link.leave()
    await soon()
    expect(agent.hasLeft()).toBe(true)
    agent.spool.close()
  })

  it('lets go for another reader, and when the host no longer has its offset', async () => {
    const agent = createEcho(directory)
    const connect = async () => brittleWire(1_000_000, agent.readers.accept)
    const [first, second] = [collect(), collect()]
    await followHost({ connect, ended: noEnd }, 0, first.events)
    const link = await followHost({ connect, ended: noEnd }, 0, second.events)
    expect(await first.lost).toMatchObject({ loss: 'replaced' })
    await expect(followHost({ connect, ended: noEnd }, 99, collect().events)).rejects.toThrow(/not from 99/)
    link.close()
    agent.spool.close()
  })

  it('ends where what the agent said cannot be taken, instead of leaving that out', async () => {
    const agent = createEcho(directory)
    const { events, lost } = collect()
    let connections = 0
    const connect = async () => {
      connections++
      return brittleWire(1_000_000, agent.readers.accept)
    }
    const refusing: HostEvents = {
      ...events,
      onOutput: () => {
        throw new RangeError('too deep')
      },
    }
    const link = await followHost({ connect, ended: noEnd }, 0, refusing, { retryMs: [0] })
    link.resume()
    void link.write(Buffer.from('one\n')).catch(() => undefined)
    expect(await lost).toEqual({ why: 'what the agent said could not be taken: too deep', loss: 'ended' })
    await soon()
    expect(connections).toBe(1)
    agent.spool.close()
  })

  it('ends over a message that no host takes, instead of bringing it again and again', async () => {
    const agent = createEcho(directory)
    const { events, lost } = collect()
    const connect = async () => brittleWire(1_000_000, agent.readers.accept)
    const link = await followHost({ connect, ended: noEnd }, 0, events, { retryMs: [0] })
    await expect(link.write(Buffer.alloc(MAX_PAYLOAD + 1))).rejects.toThrow('takes no more input')
    expect(await lost).toMatchObject({ loss: 'ended' })
    agent.spool.close()
  })
})
