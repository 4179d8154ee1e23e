// The pipes of an agent in a place, as a program here has them: what is written to us goes to the agent, what the agent writes
// comes out of us. A lost connection is opened again, and goes on where it was: nothing is lost, nothing is doubled.
import type { Duplex, Readable, Writable } from 'node:stream'
import type { AgentExit } from '../../../host/protocol.ts'
import { type HostLink, HostRefusedError, readHost } from '../../../host/read.ts'
import { sleep } from '../../../lib/clock.ts'

export interface PipeSource {
  /** To the host of the agent's pipes. Rejects when it cannot be reached now. */
  connect(): Promise<Duplex>
  /** The agent is known to have ended, also without a word of its host. null: it is not. */
  ended(): { code: number; why: string } | null
}

export interface PipeEnds {
  stdin: Readable
  stdout: Writable
  stderr: Writable
  /** Aborted: the agent shall end. */
  stop: AbortSignal
  /** How long it waits before it connects again: after a connection was lost, and after each failure. */
  retryMs?: readonly number[]
}

const RETRY_MS = [50, 200, 500, 1_000]
const STOP_GRACE_MS = 2_000
/** More on its way to the agent, and whoever writes waits. */
const MAX_WAITING = 1024 * 1024

/** Resolves with how the agent ended. */
export async function runPipe(source: PipeSource, ends: PipeEnds): Promise<AgentExit> {
  const pipe = createPipe(ends)
  const { retryMs = RETRY_MS } = ends
  for (let failures = 0; ; ) {
    const outcome = await pipe.follow(source)
    if (typeof outcome === 'object') return outcome
    failures = outcome === 'lost' ? 0 : failures + 1
    const ended = failures > 0 ? source.ended() : null
    if (ended) {
      ends.stderr.write(`${ended.why}\n`)
      return withCode(ended.code)
    }
    if (ends.stop.aborted) return { code: null, signal: 'SIGTERM' }
    await sleep(retryMs[Math.min(failures, retryMs.length - 1)]!)
  }
}

function createPipe({ stdin, stdout, stderr, stop }: PipeEnds) {
  const input = createInput(stdin)
  /** The place after the last output that was passed on. */
  let passed = 0
  let isBroken = false
  stdout.on('error', () => {
    isBroken = true
  })

  /** How the agent ended, or whether there was a connection. */
  async function follow(source: PipeSource): Promise<AgentExit | 'lost' | 'failed'> {
    const over = Promise.withResolvers<AgentExit | 'lost' | 'replaced'>()
    let link: HostLink | null = null
    try {
      link = await readHost(await source.connect(), passed, {
        onOutput(chunk, at) {
          passed = at + chunk.length
          const isTaken = stdout.write(chunk, () => link?.commit(at + chunk.length))
          if (isTaken) return
          link?.pause()
          stdout.once('drain', () => link?.resume())
        },
        onError: (chunk) => void stderr.write(chunk),
        onClosed: () => undefined,
        onExit: (exit) => over.resolve(exit),
        onLost: (_why, replaced) => over.resolve(replaced ? 'replaced' : 'lost'),
      })
    } catch (error) {
      if (!(error instanceof HostRefusedError)) return 'failed'
      stderr.write(`the agent's host refused: ${error.message}\n`)
      return withCode(1)
    }
    const onStop = () => void link?.stop(STOP_GRACE_MS)
    if (stop.aborted) onStop()
    stop.addEventListener('abort', onStop)
    input.use(link)
    link.resume()
    const end = await over.promise
    stop.removeEventListener('abort', onStop)
    input.use(null)
    if (end === 'lost') return isBroken ? withCode(1) : 'lost'
    if (end === 'replaced') return withCode(1)
    await flushed(stdout)
    link.leave()
    link.close()
    return end
  }
  return { follow }
}

const withCode = (code: number): AgentExit => ({ code, signal: null })

/** What the agent shall read, until its host has it. The host writes each key once. */
function createInput(stdin: Readable) {
  const waiting: Array<{ key: string; bytes: Buffer }> = []
  let size = 0
  let last = 0
  let isOver = false
  let link: HostLink | null = null
  const send = (to: HostLink, one: { key: string; bytes: Buffer }) => {
    // A broken connection says nothing about it: it is sent again with the next one.
    to.write(one.bytes, one.key).then(
      () => taken(to, one),
      () => undefined,
    )
  }
  const taken = (by: HostLink, one: { key: string; bytes: Buffer }) => {
    const index = waiting.indexOf(one)
    if (index === -1) return
    waiting.splice(index, 1)
    size -= one.bytes.length
    by.commit(0, [one.key])
    if (size <= MAX_WAITING) stdin.resume()
    if (isOver && waiting.length === 0) by.endInput()
  }
  stdin.on('data', (bytes: Buffer) => {
    const one = { key: `pipe-${++last}`, bytes }
    waiting.push(one)
    size += bytes.length
    if (size > MAX_WAITING) stdin.pause()
    if (link) send(link, one)
  })
  stdin.on('end', () => {
    isOver = true
    if (waiting.length === 0) link?.endInput()
  })
  stdin.on('error', () => undefined)
  return {
    use(next: HostLink | null) {
      link = next
      if (next === null) return
      // What arrived, though we did not hear of it.
      for (const one of waiting.filter(({ key }) => next.state.taken.includes(key))) taken(next, one)
      for (const one of waiting) send(next, one)
      if (isOver && waiting.length === 0) next.endInput()
    },
  }
}

function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}
