// A session whose agent ran into the limit of its account continues with another one: on the real tick and the real
// manager, with plugins that only remember.
import { afterEach, describe, expect, it } from 'vitest'
import { spentOf } from '../../src/core/status/spent.ts'
import type { Agent } from '../../src/slots/agent.ts'
import { agreeToAll } from '../support/agree.ts'
import { createLoopWorld, type LoopWorld } from './loop-world.ts'

const MINUTE = 60_000
let world: LoopWorld

const YAML = `
accounts:
  second: { agentConfig: { env: { WHO: second } } }
  other: { agent: other, agentConfig: { env: { WHO: other } } }
defaults: { runtime: fake, agent: fake, workspace: fake, fallback: [second, other] }`

async function open(agent: Partial<Agent> = {}): Promise<string> {
  world = await createLoopWorld({ yaml: YAML, agent })
  await agreeToAll(world.config, { home: world.temp.home, env: world.env })
  const about = { name: 'other', description: 'another agent', version: '0' }
  const other: Agent = { ...(await world.registry.load('agent', 'fake')), name: 'other' }
  world.registry.register({ manifest: { slot: 'agent', ...about }, create: () => other })
  return world.spawn()
}

const limited = (wording = 'resets in 3 hours') => ({
  state: 'blocked' as const,
  timestamp: world.clock.now(),
  evidence: `usage limit reached, ${wording}`,
})
const active = () => ({ state: 'active' as const, timestamp: world.clock.now() })
const record = (id: string) => world.store.read(id)!.record
const who = () => world.launches.map(({ environment }) => environment.WHO ?? 'first')
const texts = () => world.sent.map(({ text }) => text)
const events = (id: string) => world.store.readHistory(id).events
const news = () => world.notifications.filter(({ type }) => type === 'limit.reached').map(({ message }) => message)

/** One tick in which its agent is limited; then the agent works, whichever it is. */
async function limitedTick(wording?: string): Promise<void> {
  world.activity.current = limited(wording)
  await world.tick()
  world.activity.current = active()
}

afterEach(() => world.cleanup())

describe('a session that is stopped by a limit', () => {
  it('continues with the next account, with all that is known, and stays there when the first one is reset', async () => {
    const id = await open()
    await world.manager.send(id, 'and add a test')
    await world.store.update(id, { messagesOnTheWay: ['held-1'] }, [
      { type: 'message.queued', messageId: 'held-1', text: 'held before', source: 'user' },
      { type: 'message.held', messageId: 'held-1', why: 'it asked something' },
    ])
    const until = new Date(world.clock.now().getTime() + 180 * MINUTE).toISOString()
    await limitedTick()
    expect(who()).toEqual(['first', 'second'])
    expect(record(id)).toMatchObject({ agent: 'fake', account: 'second', firstAgent: 'fake', launch: 2 })
    expect(record(id).switchTo).toBeUndefined()
    expect(record(id).limits).toEqual([{ agent: 'fake', account: null, until }])
    const [, handover, held, ...more] = texts()
    expect(handover).toContain('fake stopped, because its limit is reached until')
    expect(handover).toMatch(/# The task[\s\S]*work[\s\S]*and add a test/)
    expect([held, more]).toEqual(['held before', []])
    expect(news()).toEqual([
      `${id}: its limit is reached until ${until}; it continues with fake with the account second`,
    ])
    expect(events(id).filter(({ type }) => type === 'account.changed')).toHaveLength(1)
    world.reborn()
    world.clock.pass(200 * MINUTE)
    world.activity.current = active()
    await world.tick()
    expect(who()).toEqual(['first', 'second'])
    expect(world.reactions(id)).toEqual(['limit-reached switch-account done'])
    expect(texts()).toHaveLength(3)
  })

  it('tries each account once, then waits for the first that is reset', async () => {
    const id = await open()
    await limitedTick('resets in 3 hours')
    await limitedTick('resets in 40 minutes')
    expect(record(id)).toMatchObject({ agent: 'other', account: 'other' })
    world.activity.current = limited('resets in 2 hours')
    for (const minutes of [0, 10, 20]) {
      world.clock.pass(minutes * MINUTE)
      await world.tick()
    }
    expect(who()).toEqual(['first', 'second', 'other'])
    expect(world.status(id)).toBe('working')
    world.clock.pass(11 * MINUTE)
    await world.tick()
    expect(who()).toEqual(['first', 'second', 'other', 'second'])
  })

  it('does not run into a limit that another session of its account has met', async () => {
    const id = await open()
    await limitedTick()
    expect(record(id).account).toBe('second')
    const next = await world.spawn()
    await limitedTick('resets in 2 hours')
    // Both are limited in this tick: the first on `second`, the next on the first account.
    expect([record(id).account, record(next).account]).toEqual(['other', 'other'])
  })

  it('waits for a limit that is over soon', async () => {
    const id = await open()
    await limitedTick('resets in 9 minutes')
    expect(record(id).account).toBeUndefined()
  })

  it('that a person ended is not continued, and one that a person switches says so', async () => {
    const id = await open()
    await world.store.update(id, { switchTo: { account: 'second', why: 'x' } })
    await world.manager.kill(id, { keepWorkspace: true })
    await world.tick()
    expect([world.status(id), record(id).switchTo, who()]).toEqual(['killed', undefined, ['first']])
    const other = await world.spawn()
    const switched = await world.manager.switchAccount(other, { account: 'other', why: 'a person chose it' })
    expect(switched.metadata).toMatchObject({ agent: 'other', account: 'other' })
    await expect(world.manager.switchAccount(other, { account: 'other', why: 'again' })).rejects.toThrow('already')
    await expect(world.manager.switchAccount(other, { account: 'nobody', why: 'x' })).rejects.toThrow(
      'no account nobody',
    )
    await world.manager.switchAccount(other, { account: null, why: 'back' })
    expect(record(other)).toMatchObject({ agent: 'fake', firstAgent: 'fake' })
    expect(record(other).account).toBeUndefined()
  })
})

describe('an account that cannot be used', () => {
  it('is reported with its cause before the agent is ended, and the next one is tried', async () => {
    const id = await open({
      getLaunchCommand: ({ config }) => (config.env?.WHO === 'second' ? ['/no/such/program'] : ['sh', '-c', 'true']),
    })
    world.activity.current = limited()
    await world.tick()
    expect(who()).toEqual(['first'])
    expect(news()).toEqual([expect.stringContaining('needs the command /no/such/program')])
    expect(world.calls).not.toContain('runtime.destroy')
    await world.tick()
    expect(record(id).account).toBe('other')
  })

  it('and fails only at its start leaves the session as it was, waiting for its own limit', async () => {
    const id = await open()
    world.resume.current = ['sh', '-c', 'resumed']
    const starts: string[] = []
    const runtime = await world.registry.load('runtime', 'fake')
    const create = runtime.create
    runtime.create = async (launch) => {
      starts.push(launch.environment.WHO ?? 'first')
      if (launch.environment.WHO !== undefined) throw new Error('no room on the machine')
      return create(launch)
    }
    const at = world.clock.now().getTime()
    world.activity.current = limited()
    await world.tick()
    expect(starts).toEqual(['second', 'first'])
    expect(record(id)).toMatchObject({ agent: 'fake', launch: 2 })
    expect(record(id).switchTo).toBeUndefined()
    expect(record(id).messagesOnTheWay).toBeUndefined()
    expect(news()).toEqual([expect.stringContaining('no room on the machine')])
    // Resumed, its own files no longer mention the limit. The next account fails too.
    world.activity.current = { state: 'idle', timestamp: world.clock.now() }
    for (const _ of [1, 2, 3]) await world.tick()
    expect(starts).toEqual(['second', 'first', 'other', 'first'])
    expect((await world.manager.get(id))?.agentInfo?.limitResetsAt?.getTime()).toBe(at + 180 * MINUTE)
    expect(world.status(id)).toBe('working')
    expect(texts()).toEqual([])
    world.clock.pass(181 * MINUTE)
    await world.tick()
    expect(texts()).toEqual([expect.stringContaining('has been reset')])
  })
})

describe('a switch that was interrupted', () => {
  it('is finished by the loop, and what was sent meanwhile waits for the agent that takes over', async () => {
    const id = await open()
    await world.store.update(id, { switchTo: { account: 'second', why: 'its limit is reached' } })
    const receipt = await world.manager.deliver(id, 'in between')
    expect(receipt).toMatchObject({ level: 'held' })
    expect(texts()).toEqual([])
    world.activity.current = active()
    await world.tick()
    expect(record(id)).toMatchObject({ account: 'second', launch: 2 })
    expect(texts()).toEqual(['in between'])
  })

  it('is done once, also when two want it at the same moment', async () => {
    const id = await open()
    const want = (manager = world.manager) => manager.switchAccount(id, { account: 'second', why: 'x' })
    await Promise.allSettled([want(), want(world.another())])
    await Promise.allSettled([want()])
    expect(who()).toEqual(['first', 'second'])
    expect(record(id)).toMatchObject({ account: 'second', launch: 2 })
    expect(world.alive.get(world.launches[1]!.name)).toBe(true)
    expect(texts()).toHaveLength(1)
  })

  it('is finished by a restore, after its agent was ended', async () => {
    const id = await open()
    await world.store.update(id, { switchTo: { account: 'other', why: 'its limit is reached' } })
    await world.manager.kill(id, { keepWorkspace: true, keepMessages: true })
    expect(await world.manager.deliver(id, 'between two agents')).toMatchObject({ level: 'held' })
    await world.manager.restore(id)
    await world.manager.deliverHeld(id)
    expect(texts()).toEqual(['between two agents'])
    expect(record(id)).toMatchObject({ agent: 'other', account: 'other', firstAgent: 'fake' })
    expect(record(id).switchTo).toBeUndefined()
  })
})

it('what was used before is not lost, and what an agent counts again is not counted twice', async () => {
  const used: Record<string, number> = { first: 100, other: 0 }
  const id = await open({
    getSessionInfo: async () => {
      const tokens = used[world.agentLaunches.at(-1)?.config.env?.WHO ?? 'first'] ?? 0
      const none = { outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
      return { summary: null, agentSessionId: 'a', cost: { inputTokens: tokens, ...none, estimatedCostUsd: tokens } }
    },
  })
  const spent = async () => spentOf((await world.manager.get(id))!)
  await world.manager.switchAccount(id, { account: 'other', why: 'x' })
  expect(await spent()).toEqual({ tokens: 100, costUsd: 100 })
  used.other = 30
  expect(await spent()).toEqual({ tokens: 130, costUsd: 130 })
  await world.manager.switchAccount(id, { account: null, why: 'x' })
  used.first = 120
  expect(await spent()).toEqual({ tokens: 150, costUsd: 150 })
})
