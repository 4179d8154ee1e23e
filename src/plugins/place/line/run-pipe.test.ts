// An agent's pipes through a line that breaks at any byte.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { brittleWire } from '../../../../test/support/brittle-wire.ts'
import { createInbox } from '../../../host/inbox.ts'
import type { AgentExit, HostFrame } from '../../../host/protocol.ts'
import { createReaders, type Hosted } from '../../../host/serve.ts'
import { createSpool } from '../../../host/spool.ts'
import { createRandom } from '../../../rehearsal/random.ts'
import { runPipe } from './run-pipe.ts'

const LINES = 60

const SEVEN: AgentExit = { code: 7, signal: null }

/** An agent that writes, and answers each line that it reads with the same line; it ends after its input. */
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

function collect(): { stream: PassThrough; text(): string } {
  const stream = new PassThrough()
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk
  })
  return { stream, text: () => text }
}

describe('the pipes of an agent in a place', () => {
  it('lose nothing and double nothing, wherever the line breaks', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = createRandom(seed)
      const directory = mkdtempSync(join(tmpdir(), 'pipe-'))
      const agent = createEcho(directory)
      const stdin = new PassThrough()
      const output = collect()
      const running = runPipe(
        {
          connect: async () => brittleWire(random.below(1_500), agent.readers.accept),
          ended: () => null,
        },
        { stdin, stdout: output.stream, stderr: new PassThrough(), stop: new AbortController().signal, retryMs: [0] },
      )
      const lines = Array.from({ length: LINES }, (_, n) => `{"n":${n}}\n`)
      for (const line of lines) {
        stdin.write(line)
        if (random.below(3) === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      stdin.end()
      expect(await running).toEqual(SEVEN)
      expect(agent.heard()).toBe(lines.join(''))
      expect(output.text()).toBe(lines.join(''))
      expect(agent.inbox.taken().length).toBeLessThan(LINES)
      agent.spool.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })

  it('end with what is known of the agent when its place is gone', async () => {
    const errors = collect()
    const end = await runPipe(
      {
        connect: () => Promise.reject(new Error('no line')),
        ended: () => ({ code: 1, why: 'the container no longer exists' }),
      },
      {
        stdin: new PassThrough(),
        stdout: new PassThrough(),
        stderr: errors.stream,
        stop: new AbortController().signal,
      },
    )
    expect(end).toEqual({ code: 1, signal: null })
    expect(errors.text()).toBe('the container no longer exists\n')
  })

  it('pass a stop on to the agent, and end as it does', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pipe-'))
    const killed: AgentExit = { code: null, signal: 'SIGKILL' }
    const agent = createEcho(directory, killed)
    const stop = new AbortController()
    const ends = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough(), stop: stop.signal }
    const running = runPipe(
      { connect: async () => brittleWire(1_000_000, agent.readers.accept), ended: () => null },
      ends,
    )
    setImmediate(() => stop.abort())
    expect(await running).toEqual(killed)
    expect(agent.stopped).toHaveLength(1)
    agent.spool.close()
    rmSync(directory, { recursive: true, force: true })
  })
})
