// The connection between agh and the host of an agent breaks, and both go on: it is made again, and nothing is lost or doubled.
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  approve,
  getSession,
  leaveAll,
  promptSession,
  retryPostponed,
  shutdown,
  startRepairs,
  stopSession,
  watchSession,
} from '../../src/agh/runtime.ts'
import { parseIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { ofType } from '../support/agh-events.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome, text } from './agh-home.ts'
import { expectTurnsWhole } from './check-history.ts'
import { hostOf, killHost } from './host-of.ts'

const net = vi.hoisted(() => ({
  streams: [] as Duplex[],
  isDown: false,
  /** How many of the next connections break once their host has spoken. */
  breaking: 0,
  triesForMs: 20_000,
}))

vi.mock('../../src/host/read.ts', async (original) => {
  const real = await original<typeof import('../../src/host/read.ts')>()
  const connectHost = async (path: string) => {
    if (net.isDown) throw Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })
    const stream = await real.connectHost(path)
    net.streams.push(stream)
    if (net.breaking-- > 0) stream.once('data', () => setImmediate(breakNow))
    return stream
  }
  return { ...real, connectHost }
})

vi.mock('../../src/host/follow.ts', async (original) => {
  const real = await original<typeof import('../../src/host/follow.ts')>()
  const followHost: typeof real.followHost = (source, ...rest) =>
    real.followHost({ ...source, triesForMs: net.triesForMs }, ...rest)
  return { ...real, followHost }
})

let agh: AghHome
let id: string

beforeEach(() => {
  Object.assign(net, { streams: [], isDown: false, breaking: 0, triesForMs: 20_000 })
  agh = createAghHome({ agent: 'resume', config: { session: { timeouts: { driver_stop: '200ms' } } } })
})
afterEach(async () => {
  net.isDown = false
  expect(await agh.cleanup()).toEqual([])
})

function breakNow(): void {
  net.streams.at(-1)?.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' }))
}

function goDown(): void {
  net.isDown = true
  breakNow()
}

const view = () => getSession(agh.context, id)
const health = async () => (await view()).health.state
const saidBy = async () => text(await agh.events(id))
const agentOf = () => parseIdentity(hostOf(agh.context.paths, id)!.agent!)!
const prompts = () => agh.agentLog().filter((one) => one === 'session/prompt')

async function begin(message: string, until: string): Promise<void> {
  await promptSession(agh.context, id, message)
  await waitFor(until, async () => (await saidBy()).includes(until))
}

async function idle(): Promise<void> {
  await waitFor('the end of the turn', async () => (await health()) === 'idle')
}

describe('a connection to the host of an agent that breaks', () => {
  it('in the middle of a turn, again and again, changes nothing about the turn', async () => {
    id = (await agh.create()).id
    const { ended } = await promptSession(agh.context, id, 'tool-open a\nstream 3000\nsleep 100\nsay last')
    for (const word of [' 100 ', ' 1000 ', ' 2000 ']) {
      await waitFor(word, async () => (await saidBy()).includes(word))
      breakNow()
    }
    await ended
    const events = await agh.events(id)
    expectTurnsWhole(events)
    expect(text(events)).toBe(`${Array.from({ length: 3_000 }, (_, n) => `${n} `).join('')}last`)
    expect(ofType(events, 'done')).toHaveLength(1)
    expect(agh.agentLog()).toEqual(['initialize', 'session/new', 'session/prompt'])
    expect(await view()).toMatchObject({ state: 'active', stop_reason: null, health: { state: 'idle' } })
  })

  it('during the start is made again, and the agent gets each request once', async () => {
    net.breaking = 3
    id = (await agh.create()).id
    expect(text(await agh.prompt(id, 'say hello'))).toBe('hello')
    expect(net.streams.length).toBeGreaterThan(3)
    expect(agh.agentLog()).toEqual(['initialize', 'session/new', 'session/prompt'])
  })

  it('leaves a question open, and the agent gets its answer once', async () => {
    id = (await agh.create()).id
    const { ended } = await promptSession(agh.context, id, 'ask edit\nsay after')
    await waitFor('the question', async () => (await view()).pending_permissions.length > 0)
    const [request] = (await view()).pending_permissions
    goDown()
    expect((await view()).pending_permissions).toEqual([request])
    await approve(agh.context, id, { request_id: request!.request_id, decision: 'allow-once' })
    net.isDown = false
    await ended
    expect(await saidBy()).toBe('answer {"outcome":"selected","optionId":"yes"}after')
    expect(agh.agentLog().filter((one) => one === 'answer')).toHaveLength(1)
  })

  it('is told as unknown until it is made again; prompts that are sent or wait meanwhile are delivered once, in order', async () => {
    id = (await agh.create()).id
    goDown()
    await waitFor('the break', async () => (await health()) === 'detached')
    expect(await view()).toMatchObject({ state: 'active', health: { health: 'unknown', eligible_for_wake: false } })
    await promptSession(agh.context, id, 'say first ')
    const second = promptSession(agh.context, id, 'say second', { queue: true })
    expect(await saidBy()).toBe('')
    net.isDown = false
    await (await second).ended
    expectTurnsWhole(await agh.events(id))
    expect(await saidBy()).toBe('first second')
    expect(prompts()).toHaveLength(2)
    expect(await health()).toBe('idle')
  })

  it('keeps nobody from stopping the session', async () => {
    id = (await agh.create()).id
    await begin('say begun\nsleep 60000', 'begun')
    const agent = agentOf()
    goDown()
    await stopSession(agh.context, id, 'enough')
    expect(await view()).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled', stop_detail: 'enough' })
    expect(processState(agent)).toBe('dead')
    expectTurnsWhole(await agh.events(id))
  })

  it('keeps no daemon from ending its sessions, or from leaving them to the next one', async () => {
    id = (await agh.create()).id
    const other = (await agh.create()).id
    await begin('say begun\nsleep 300\nsay end', 'begun')
    goDown()
    for (const stream of net.streams) stream.destroy(new Error('read EIO'))
    await leaveAll(agh.context)
    net.isDown = false
    const next = agh.restart()
    await startRepairs(next).ready()
    await idle()
    expect(await saidBy()).toBe('begunend')
    expect(prompts()).toHaveLength(1)
    net.isDown = true
    for (const stream of net.streams) stream.destroy(new Error('read EIO'))
    await shutdown(next)
    for (const one of [id, other]) {
      expect(await getSession(next, one)).toMatchObject({ state: 'stopped', stop_reason: 'shutdown' })
    }
  })
})

describe('a host that cannot be reached for long', () => {
  it('is unknown, not dead: commands say so in words, and its session goes on as soon as it answers', async () => {
    net.triesForMs = 200
    id = (await agh.create()).id
    await begin('say begun\nsleep 1000\nsay end', 'begun')
    const waiting = promptSession(agh.context, id, 'say later', { queue: true })
    const refused = expect(waiting).rejects.toThrow(/does not answer; the prompt was not delivered/)
    const watch = watchSession(agh.context, id, () => undefined)
    const agent = agentOf()
    goDown()
    await waitFor('the end of its tries', () => agh.context.postponed.has(id))
    await refused
    await waitFor('the end of the tries', () => !agh.context.live.has(id))
    expect(watch.isOver()).toBe(false)
    expect(await view()).toMatchObject({ state: 'active', health: { state: 'detached', health: 'unknown' } })
    await expect(promptSession(agh.context, id, 'say never')).rejects.toMatchObject({
      code: 'RUNTIME_FAILED',
      message: expect.stringMatching(/^The host of session .+ does not answer: connect ETIMEDOUT/),
      hint: expect.stringMatching(/kill -9 \d+/),
    })
    expect(processState(agent)).toBe('alive')
    net.isDown = false
    await retryPostponed(agh.context)
    await idle()
    expect(watch.isOver()).toBe(false)
    watch.close()
    const events = await agh.events(id)
    expectTurnsWhole(events)
    expect(text(events)).toBe('begunend')
    expect(ofType(events, 'error').map(({ content }) => content.error)).toEqual([
      expect.stringMatching(/lost the host of the agent/),
    ])
    expect(agentOf()).toEqual(agent)
  })

  it('gets the answer to a question, which was given meanwhile, once it answers', async () => {
    net.triesForMs = 200
    id = (await agh.create()).id
    await promptSession(agh.context, id, 'ask edit\nsay after')
    await waitFor('the question', async () => (await view()).pending_permissions.length > 0)
    goDown()
    await approve(agh.context, id, { request_id: undefined, decision: 'allow-once' })
    await waitFor('the end of its tries', () => !agh.context.live.has(id))
    net.isDown = false
    await retryPostponed(agh.context)
    await idle()
    expect(await saidBy()).toBe('answer {"outcome":"selected","optionId":"yes"}after')
    expect(agh.agentLog().filter((one) => one === 'answer')).toHaveLength(1)
    expectTurnsWhole(await agh.events(id))
  })

  it('and is gone ends its session at once, with what the agent had said', async () => {
    id = (await agh.create()).id
    await begin('say begun\nsleep 60000', 'begun')
    await killHost(agh.context.paths, id)
    await waitFor('its end', async () => (await view()).state === 'stopped')
    expect(await view()).toMatchObject({
      stop_reason: 'error',
      stop_detail: 'the host of the agent is gone',
      failure: { kind: 'transport_failure' },
    })
    expectTurnsWhole(await agh.events(id))
    expect(await saidBy()).toBe('begun')
  })

  it('is told by its files how its agent ended meanwhile', async () => {
    id = (await agh.create()).id
    await begin('say begun\nsleep 300\nsay end\ncrash', 'begun')
    goDown()
    await waitFor('its end', async () => (await view()).state === 'stopped')
    expect(await view()).toMatchObject({ stop_reason: 'agent_crashed', failure: { kind: 'process_exit' } })
    expect(await saidBy()).toBe('begunend')
  })
})
