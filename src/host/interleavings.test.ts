// Any interleaving of output, input, commits and lost connections gives the same sequences once. The wire is cut at any byte.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { brittleWire } from '../../test/support/brittle-wire.ts'
import { createRandom } from '../rehearsal/random.ts'
import { greetHost } from './client.ts'
import { createInbox } from './inbox.ts'
import { type HostLink, readHost } from './read.ts'
import { createReaders, type Hosted } from './serve.ts'
import { createSpool } from './spool.ts'

async function play(seed: number): Promise<void> {
  const random = createRandom(seed)
  const directory = mkdtempSync(join(tmpdir(), 'interleave-'))
  const spool = createSpool(directory, { fileBytes: 64, maxBytes: 512 })
  const stdin = new PassThrough()
  let heard = ''
  stdin.on('data', (chunk: Buffer) => {
    heard += chunk
  })
  const inbox = createInbox()
  const nothing = () => undefined
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
    stop: async () => [],
    ended: new Promise(nothing),
    pipes: { spool, onRoom: nothing, endInput: nothing, leave: nothing, endings: () => [] },
  }
  const readers = createReaders(hosted)
  const total = 40
  const pieces = Array.from({ length: total }, (_, n) => `output ${n};`)
  const inputs = Array.from({ length: 12 }, (_, n) => `input ${n}\n`)
  // What a daemon has on disk: output and offset change together, or not at all.
  const disk = { text: '', offset: 0, answered: 0 }
  let produced = 0
  const produce = () => {
    while (produced < total && !spool.isFull() && random.below(3) > 0) {
      const chunk = Buffer.from(pieces[produced++]!)
      const at = spool.end()
      spool.append(chunk)
      readers.pump(chunk, at)
    }
  }
  for (let life = 0; life < 2_000; life++) {
    if (disk.text.length === pieces.join('').length && disk.answered === inputs.length) break
    produce()
    const wire = brittleWire(random.below(1_200), readers.accept)
    const memory = { text: '', offset: disk.offset }
    let link: HostLink
    const gone = Promise.withResolvers<void>()
    try {
      link = await readHost(wire, disk.offset, {
        onOutput(chunk, at) {
          expect(at).toBe(memory.offset)
          memory.text += chunk
          memory.offset += chunk.length
          if (random.below(3) > 0) return
          disk.text += memory.text
          disk.offset = memory.offset
          memory.text = ''
          link.commit(disk.offset)
        },
        onError: nothing,
        onClosed: nothing,
        onExit: nothing,
        onLost: () => gone.resolve(),
      })
    } catch {
      // Cut before the host could answer.
      continue
    }
    disk.answered = Math.max(disk.answered, link.state.taken.length)
    link.resume()
    for (let n = disk.answered; n < inputs.length && random.below(4) > 0; n++) {
      // A daemon may also die after sending and before it learns that it was taken.
      void link.write(Buffer.from(inputs[n]!), `k${n}`).catch(nothing)
    }
    produce()
    if (random.below(2) === 0) await new Promise((resolve) => setImmediate(resolve))
    wire.destroy()
    await gone.promise
  }
  spool.close()
  rmSync(directory, { recursive: true, force: true })
  expect(disk.text).toBe(pieces.join(''))
  expect(heard).toBe(inputs.join(''))
}

describe('whatever breaks in whatever order', () => {
  it('output is recorded once and input is written once', async () => {
    for (let seed = 1; seed <= 30; seed++) await play(seed)
  })

  it('a client that sends an input until it hears of it has it entered once, in order', async () => {
    for (let seed = 1; seed <= 30; seed++) await repeat(seed)
  })
})

/** A client whose wire is cut at any byte, with an input that it sends again under its key until it was answered. */
async function repeat(seed: number): Promise<void> {
  const random = createRandom(seed)
  const entered: string[] = []
  const inbox = createInbox(4)
  const readers = createReaders({
    state: () => ({
      spawnId: 's',
      host: 'h',
      agent: null,
      taken: [],
      stderr: { total: 0, tail: '' },
      exit: null,
      keep: null,
    }),
    inbox,
    write: async (bytes) => {
      entered.push(String(bytes))
      return { ok: true }
    },
    stop: async () => [],
    ended: new Promise(() => undefined),
  })
  const inputs = Array.from({ length: 12 }, (_, n) => `input ${n}`)
  for (const [n, input] of inputs.entries()) {
    for (let answered = false; !answered; ) {
      const wire = brittleWire(random.below(900), readers.accept)
      try {
        const client = await greetHost(wire, {}, 1_000)
        answered = (await client.press(input, `k${n}`)).ok
      } catch {
        // Cut before the answer came.
      }
      wire.destroy()
    }
  }
  expect(entered).toEqual(inputs)
}
