// A reader that outlives its connections. It comes back at the offset where it was, and sends again what the host may not have: the
// host enters each key once, so nothing is lost and nothing is doubled.
import type { Duplex } from 'node:stream'
import { sleep } from '../lib/clock.ts'
import { type AgentExit, type HostState, MAX_PAYLOAD } from './protocol.ts'
import { type HostEvents, type HostLink, HostRefusedError, type Loss, MAX_UNWRITTEN, readHost } from './read.ts'

export interface HostSource {
  /** Rejects when the host cannot be reached now. */
  connect(): Promise<Duplex>
  /** The agent is known to have ended, or its host, also without a word of that. null: it is not. */
  ended(): EndedAgent | null
  /** For how long to connect again after a connection was lost. Absent: until it works. */
  triesForMs?: number
}

export interface EndedAgent {
  /** null: its host is gone, and how it ended was not recorded. */
  exit: AgentExit | null
  why: string
  /** For whoever reads its stderr. */
  remark?: string
  /** Output that nobody has read yet, from this offset on. */
  leftover(after: number): Iterable<Buffer>
}

export interface FollowedHost extends HostLink {
  /** false: it is trying to connect again, or has let go. */
  isConnected(): boolean
}

export interface FollowOptions {
  /** How long the first connection may take. */
  connectsWithinMs?: number
  /** How long it waits before it connects again: after a connection was lost, and after each failure. */
  retryMs?: readonly number[]
}

const RETRY_MS = [50, 200, 500, 1_000]
/** A connection that lasted this long worked, even if nothing was said on it. */
const STEADY_MS = 5_000

/** Keys of inputs that have none: nobody but their sender ever names them. */
const OWN = 'own:'

interface Input {
  key: string
  bytes: Buffer
  resolve(): void
  reject(error: Error): void
}

/** Rejects when no connection could be made in time. A connection that breaks later is made again. */
export async function followHost(
  source: HostSource,
  after: number,
  events: HostEvents,
  { connectsWithinMs = 0, retryMs = RETRY_MS }: FollowOptions = {},
): Promise<FollowedHost> {
  let link: HostLink | null = null
  /** After the last output that was passed on, and the last that was recorded. */
  let offset = after
  let committed = after
  let errors = 0
  let isPaused = true
  let resumed = Promise.withResolvers<void>()
  let hasClosed = false
  let isInputOver = false
  /** Nothing more is read, because of its end or because nobody wants to. */
  let isOver = false
  let stopping: { graceMs: number; done(left: string[]): void } | null = null
  /** Of connections that failed, or broke before anything came of them. */
  const trouble = { failures: 0, sinceMs: 0, connectedMs: 0, hasMoved: false }
  const inputs = new Set<Input>()
  /** What came on stderr before its connection was in use. */
  const early: Array<[chunk: Buffer, total: number]> = []

  const close = () => {
    if (!hasClosed) events.onClosed()
    hasClosed = true
  }
  const attach = async (): Promise<HostLink> => {
    const own: { link: HostLink | null; lost: string | null } = { link: null, lost: null }
    // What a lost connection still held back comes again with the next one.
    const isCurrent = () => own.link !== null && own.link === link
    early.length = 0
    const stream = await source.connect()
    // A reader that has let go must not replace the next one.
    if (isOver) {
      stream.destroy()
      throw new Error('it was closed here')
    }
    own.link = await readHost(stream, offset, {
      onOutput(chunk, at) {
        if (!isCurrent()) return
        offset = at + chunk.length
        trouble.hasMoved = true
        take(() => events.onOutput(chunk, at))
      },
      onError(chunk, total) {
        if (isCurrent()) passErrors(chunk, total)
        else if (own.link === null) early.push([chunk, total])
      },
      onClosed: () => isCurrent() && close(),
      onExit(exit) {
        if (!isCurrent() || isOver) return
        isOver = true
        events.onExit(exit)
      },
      onLost(why, loss) {
        own.lost = why
        if (isCurrent()) lose(why, loss)
      },
    })
    if (own.lost !== null) throw new Error(own.lost)
    return own.link
  }
  const use = (next: HostLink) => {
    if (isOver) return next.close()
    link = next
    trouble.connectedMs = performance.now()
    trouble.hasMoved = false
    passMissedErrors(next.state.stderr)
    const taken = new Set(next.state.taken)
    for (const input of inputs) {
      // It arrived, though we did not hear of it.
      if (taken.has(input.key)) settle(input)
      else send(next, input)
    }
    const own = next.state.taken.filter((key) => key.startsWith(OWN))
    next.commit(committed, own.length > 0 ? own : undefined)
    if (isInputOver) next.endInput()
    if (stopping) askToStop(next)
    if (!isPaused) next.resume()
  }
  const passMissedErrors = ({ total, tail }: HostState['stderr']) => {
    if (total > errors) passErrors(Buffer.from(tail).subarray(-(total - errors)), total)
    for (const [chunk, since] of early.splice(0)) if (since > errors) passErrors(chunk, since)
  }
  const passErrors = (chunk: Buffer, total: number) => {
    errors = total
    take(() => events.onError(chunk, total))
  }
  /** A chunk that its consumer refuses is not skipped: nothing more is read. */
  const take = (deliver: () => void) => {
    try {
      deliver()
    } catch (error) {
      const last = link
      giveUp(`what the agent said could not be taken: ${(error as Error).message}`, 'ended')
      last?.close()
    }
  }
  const send = (to: HostLink, input: Input) => {
    // A broken connection says nothing about it.
    const failed = (error: Error) => to === link && settle(input, error)
    to.write(input.bytes, input.key).then(() => settle(input), failed)
  }
  const settle = (input: Input, error?: Error) => {
    if (!inputs.delete(input)) return
    trouble.hasMoved = true
    if (input.key.startsWith(OWN)) link?.commit(0, [input.key])
    if (error) input.reject(error)
    else input.resolve()
  }
  const askToStop = (next: HostLink) => {
    const { graceMs, done } = stopping!
    void next.stop(graceMs).then((left) => next === link && done(left))
  }
  const giveUp = (why: string, loss: Loss) => {
    isOver = true
    link = null
    for (const input of inputs) settle(input, new Error(why))
    stopping?.done([])
    events.onLost(why, loss)
  }
  const lose = (why: string, loss: Loss) => {
    if (loss === 'replaced' || isOver) return giveUp(why, loss)
    link = null
    const now = performance.now()
    if (trouble.hasMoved || now - trouble.connectedMs >= STEADY_MS) trouble.failures = 0
    if (trouble.failures === 0) trouble.sinceMs = now
    // Files that say how it ended may be unreadable themselves.
    reconnect(why).catch((error: Error) => giveUp(error.message, 'unreachable'))
  }
  const reconnect = async (lastWhy: string) => {
    for (let why = lastWhy; !isOver; trouble.failures++) {
      const ended = trouble.failures > 0 ? source.ended() : null
      if (ended) return finish(ended)
      const triedMs = performance.now() - trouble.sinceMs
      if (triedMs >= (source.triesForMs ?? Number.POSITIVE_INFINITY)) return giveUp(why, 'unreachable')
      await sleep(waitAfter(trouble.failures))
      if (isOver) return
      try {
        const next = await attach()
        trouble.failures++
        return use(next)
      } catch (error) {
        if (isOver) return
        why = (error as Error).message
        // Whoever has read on since then has it now.
        if (isFinal(error)) return giveUp(why, 'replaced')
      }
    }
  }
  const finish = async ({ exit, why, remark, leftover }: EndedAgent) => {
    for (const piece of leftover(offset)) {
      if (isPaused) await resumed.promise
      if (isOver) return
      events.onOutput(piece, offset)
      offset += piece.length
    }
    if (isOver) return
    if (remark !== undefined) {
      const line = Buffer.from(`${remark}\n`)
      events.onError(line, errors + line.length)
    }
    if (exit === null) return giveUp(why, 'ended')
    close()
    isOver = true
    events.onExit(exit)
    giveUp(why, 'ended')
  }

  const waitAfter = (failures: number) => retryMs[Math.min(failures, retryMs.length - 1)]!

  const deadline = performance.now() + connectsWithinMs
  let first: HostLink | null = null
  for (let failures = 0; first === null; failures++) {
    try {
      first = await attach()
    } catch (error) {
      if (isFinal(error) || source.ended() || performance.now() >= deadline) throw error
      await sleep(waitAfter(failures))
    }
  }
  const { state } = first
  let last = 0
  let written: Promise<unknown> = Promise.resolve()
  use(first)
  return {
    state,
    pause() {
      if (!isPaused) resumed = Promise.withResolvers<void>()
      isPaused = true
      link?.pause()
    },
    resume() {
      isPaused = false
      resumed.resolve()
      link?.resume()
    },
    write(bytes, key) {
      if (isOver) return Promise.reject(new Error('the agent takes no more input'))
      // The host would refuse it, and every connection that brings it again.
      if (bytes.length > MAX_PAYLOAD) {
        const last = link
        giveUp(`${bytes.length} bytes for the agent are more than its host takes`, 'ended')
        last?.close()
        return Promise.reject(new Error('the agent takes no more input'))
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const input = { key: key ?? `${OWN}${state.epoch}:${++last}`, bytes, resolve, reject }
      inputs.add(input)
      if (link) send(link, input)
      written = promise.catch(() => undefined)
      return promise
    },
    async drained() {
      const unwritten = [...inputs].reduce((sum, { bytes }) => sum + bytes.length, 0)
      if (unwritten > MAX_UNWRITTEN) await written
    },
    commit(to, forget) {
      committed = Math.max(committed, to)
      link?.commit(to, forget)
    },
    endInput() {
      isInputOver = true
      link?.endInput()
    },
    stop(graceMs) {
      if (isOver) return Promise.resolve([])
      const { promise, resolve } = Promise.withResolvers<string[]>()
      stopping = { graceMs, done: resolve }
      if (link) askToStop(link)
      return promise
    },
    leave: () => link?.leave(),
    isConnected: () => link !== null,
    close() {
      const isAway = link === null && !isOver
      isOver = true
      resumed.resolve()
      link?.close()
      if (isAway) giveUp('it was closed here', 'unreachable')
    },
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof HostRefusedError && !error.isPassing
}
