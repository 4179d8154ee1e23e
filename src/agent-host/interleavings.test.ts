// Any interleaving of output, input, commits and lost connections gives the same sequences once. The wire is cut at any byte.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { brittleWire } from '../../test/support/brittle-wire.ts'
import { createRandom } from '../rehearsal/random.ts'
import { createInbox } from './inbox.ts'
import { type HostLink, readHost } from './read-host.ts'
import { createReaders, type Hosted } from './serve-readers.ts'
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
  const inbox = createInbox(stdin)
  const nothing = () => undefined
  const hosted: Hosted = {
    spool,
    state: () => ({
      spawnId: 's',
      host: 'h',
      agent: null,
      taken: inbox.taken(),
      stderr: { total: 0, tail: '' },
      exit: null,
      keep: null,
    }),
    write: inbox.write,
    forget: inbox.forget,
    onRoom: nothing,
    endInput: nothing,
    stop: async () => [],
    leave: nothing,
    endings: () => [],
  }
  const readers = createReaders(hosted)
  const total = 40
  const words = Array.from({ length: total }, (_, n) => `output ${n};`)
  const inputs = Array.from({ length: 12 }, (_, n) => `input ${n}\n`)
  // What a daemon has on disk: output and place change together, or not at all.
  const disk = { text: '', place: 0, answered: 0 }
  let produced = 0
  const produce = () => {
    while (produced < total && !spool.isFull() && random.below(3) > 0) {
      const chunk = Buffer.from(words[produced++]!)
      const at = spool.end()
      spool.append(chunk)
      readers.pump(chunk, at)
    }
  }
  for (let life = 0; life < 2_000; life++) {
    if (disk.text.length === words.join('').length && disk.answered === inputs.length) break
    produce()
    const wire = brittleWire(random.below(1_200), readers.accept)
    const memory = { text: '', place: disk.place }
    let link: HostLink
    const gone = Promise.withResolvers<void>()
    try {
      link = await readHost(wire, disk.place, {
        onOutput(chunk, at) {
          expect(at).toBe(memory.place)
          memory.text += chunk
          memory.place += chunk.length
          if (random.below(3) > 0) return
          disk.text += memory.text
          disk.place = memory.place
          memory.text = ''
          link.commit(disk.place)
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
  expect(disk.text).toBe(words.join(''))
  expect(heard).toBe(inputs.join(''))
}

describe('whatever breaks in whatever order', () => {
  it('output is recorded once and input is written once', async () => {
    for (let seed = 1; seed <= 30; seed++) await play(seed)
  })
})
