// The real host with a real agent, and readers that vanish at any moment.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../test/support/wait-for.ts'
import { parseIdentity, processState } from '../lib/process/process-identity.ts'
import { stopProcesses } from '../lib/process/process-tree.ts'
import { hostSocket, readExitRecord, readHostRecord } from './files.ts'
import type { AgentExit, HostState } from './protocol.ts'
import { connectHost, type HostLink, type Loss, readHost } from './read.ts'
import type { SpoolLimits } from './spool.ts'
import { openHost } from './start.ts'

let directory: string
let spawnId: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'host-'))
  spawnId = `test-${process.pid}-${Math.random()}`
})
afterEach(async () => {
  const host = parseIdentity(readHostRecord(directory)?.host ?? '')
  await stopProcesses(spawnId, host ? [host] : [], { graceMs: 0 })
  rmSync(directory, { recursive: true, force: true })
})

/** Obeys its input line by line: `say N` prints N numbered lines, `err TEXT`, `exit CODE`; anything else is echoed. */
const AGENT = `
  let said = 0
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const [word, rest] = line.split(' ')
    if (word === 'say') for (let n = 0; n < Number(rest); n++) console.log('line ' + said++)
    else if (word === 'err') console.error(rest)
    else if (word === 'exit') process.exit(Number(rest))
    else console.log(line)
  })`

const start = (command = [process.execPath, '-e', AGENT], limits?: SpoolLimits) =>
  openHost(process.env, join(directory, 'log')).start(
    { directory, spawnId, command, cwd: tmpdir(), env: process.env, keep: { secret: 1 }, limits },
    10_000,
  )

interface Seen {
  link: HostLink
  state: HostState
  text(): string
  next(): number
  errors(): string
  exit: Promise<AgentExit>
  lost: Promise<{ why: string; loss: Loss }>
}

async function read(after = 0, { resume = true } = {}): Promise<Seen> {
  let text = ''
  let next = after
  let errors = ''
  const exit = Promise.withResolvers<AgentExit>()
  const lost = Promise.withResolvers<{ why: string; loss: Loss }>()
  const link = await readHost(await connectHost(hostSocket(directory)), after, {
    onOutput(chunk, at) {
      expect(at).toBe(next)
      text += chunk
      next += chunk.length
    },
    onError: (chunk) => {
      errors += chunk
    },
    onClosed: () => undefined,
    onExit: exit.resolve,
    onLost: (why, loss) => lost.resolve({ why, loss }),
  })
  if (resume) link.resume()
  return {
    link,
    state: link.state,
    text: () => text,
    next: () => next,
    errors: () => errors,
    exit: exit.promise,
    lost: lost.promise,
  }
}

const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}\n`).join('')

describe('an agent host', () => {
  it('outlives its reader, and the next one continues at the byte where it was', async () => {
    expect(await start()).toMatchObject({ ok: true })
    const first = await read()
    await first.link.write(Buffer.from('say 5000\n'))
    await waitFor('some output', () => first.next() > 20_000)
    const [before, offset] = [first.text(), first.next()]
    first.link.close()
    const second = await read(offset)
    expect(second.state).toMatchObject({ spawnId, epoch: 2, keep: { secret: 1 }, exit: null })
    const whole = lines(0, 5_000)
    await waitFor('the rest', () => second.next() === whole.length)
    expect(before.slice(0, offset) + second.text()).toBe(whole)
    second.link.close()
  })

  it('lets the agent wait when nobody takes its output, and loses none of it', async () => {
    await start(undefined, { fileBytes: 16_384, maxBytes: 65_536 })
    const first = await read()
    await first.link.write(Buffer.from('say 100000\n'))
    first.link.close()
    const size = () => readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
    await waitFor('a full spool', () => size() > 65_536)
    const whole = lines(0, 100_000)
    const second = await read(0)
    // One more read than its limit, of a stream that is more than ten times as long.
    expect(second.state.end).toBeLessThan(65_536 * 2 + 1)
    await waitFor('all of it', () => {
      second.link.commit(second.next())
      return second.next() === whole.length
    })
    expect(second.text()).toBe(whole)
    expect(statSync(hostSocket(directory)).mode & 0o777).toBe(0o600)
    second.link.close()
  })

  it('writes an input once, however often it is sent', async () => {
    await start()
    const first = await read()
    await Promise.all([first.link.write(Buffer.from('one\n'), 'k1'), first.link.write(Buffer.from('one\n'), 'k1')])
    first.link.close()
    const second = await read(0)
    expect(second.state.taken).toEqual(['k1'])
    await second.link.write(Buffer.from('one\n'), 'k1')
    await second.link.write(Buffer.from('two\n'), 'k2')
    await waitFor('two', () => second.text().includes('two'))
    expect(second.text()).toBe('one\ntwo\n')
    second.link.commit(second.next(), ['k1'])
    second.link.close()
    const third = await read(second.next())
    expect(third.state).toMatchObject({ taken: ['k2'], begin: 8, end: 8 })
    third.link.close()
  })

  it('keeps how the agent ended until a reader has taken it, then leaves nothing behind', async () => {
    await start()
    const first = await read()
    await first.link.write(Buffer.from('err oops\nsay 3\nexit 7\n'))
    first.link.close()
    await waitFor('its exit', () => readExitRecord(directory) !== null)
    const second = await read()
    expect(await second.exit).toEqual({ code: 7, signal: null })
    // The exit comes after everything that the agent had written.
    expect(second.text()).toBe(lines(0, 3))
    expect(second.state.stderr.tail).toContain('oops')
    await expect(second.link.write(Buffer.from('x\n'))).rejects.toThrow(/no more input/)
    const host = parseIdentity(second.state.host)!
    second.link.leave()
    await second.lost
    await waitFor('the host to be gone', () => processState(host) === 'dead')
    expect(() => readFileSync(join(directory, 'host.json'))).toThrow(/ENOENT/)
  })

  it('serves one reader at a time; the newer one replaces the older', async () => {
    await start()
    const first = await read()
    const second = await read()
    expect(await first.lost).toEqual({ why: 'another reader took over', loss: 'replaced' })
    await second.link.write(Buffer.from('hello\n'))
    await waitFor('the echo', () => second.text() === 'hello\n')
    expect(first.text()).toBe('')
    second.link.close()
  })

  it('refuses an offset that it no longer keeps, and one that does not exist yet', async () => {
    await start()
    const first = await read()
    await first.link.write(Buffer.from('hello\n'))
    await waitFor('the echo', () => first.next() === 6)
    first.link.commit(6)
    first.link.close()
    await expect(read(0)).rejects.toThrow('output is kept from 6 to 6, not from 0')
    await expect(read(99)).rejects.toThrow('not from 99')
    ;(await read(6)).link.close()
  })

  it('sends nothing to a reader that is paused', async () => {
    await start()
    const paused = await read(0, { resume: false })
    await paused.link.write(Buffer.from('say 10\n'))
    await expect(paused.link.write(Buffer.from('err now\n'))).resolves.toBeUndefined()
    await waitFor('its stderr', () => paused.errors() === 'now\n')
    expect(paused.text()).toBe('')
    paused.link.resume()
    await waitFor('the lines', () => paused.text() === lines(0, 10))
    paused.link.close()
  })

  it('reports a program that cannot be started, and is gone', async () => {
    expect(await start(['/no/such/program'])).toMatchObject({ ok: false, code: 'ENOENT' })
    const host = parseIdentity(readHostRecord(directory)!.host)!
    await waitFor('the host to be gone', () => processState(host) === 'dead')
  })

  it('ends the agent when it is told to', async () => {
    await start()
    const reader = await read()
    expect(await reader.link.stop(0)).toEqual([])
    expect(await reader.exit).toEqual({ code: null, signal: 'SIGKILL' })
    reader.link.leave()
    await reader.lost
  })
})
