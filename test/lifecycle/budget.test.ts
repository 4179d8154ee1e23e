// Budgets and limits as the loop enforces them: on the real tick, with restarts in between.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { needOfRecord } from '../../src/core/queue/find-need.ts'
import { LEDGER_FILE } from '../../src/lifecycle/spending/count-spending.ts'
import { raiseBudget } from '../../src/manager/attend/raise-budget.ts'
import { createLoopWorld, failing, type LoopWorld } from './loop-world.ts'

const MINUTE = 60_000
const costs = new Map<string, number>()
let world: LoopWorld

async function open(budget: string, top = ''): Promise<string> {
  costs.clear()
  world = await createLoopWorld({
    yaml: `defaults: { runtime: fake, agent: fake, workspace: fake }\n${top}`,
    projectYaml: budget,
    agent: {
      getSessionInfo: async ({ id }) => ({
        summary: null,
        agentSessionId: 'a',
        cost: {
          inputTokens: 1,
          outputTokens: 1,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          estimatedCostUsd: costs.get(id) ?? 0,
        },
      }),
    },
  })
  return world.spawn()
}

const active = () => ({ state: 'active' as const, timestamp: world.clock.now() })
const told = () => world.notifications.filter(({ type }) => type === 'budget.reached').map(({ message }) => message)

afterEach(() => world.cleanup())

describe('a budget', () => {
  it('ends an agent that has spent what a session may, keeps its work, and says so once, also over a restart', async () => {
    const id = await open('budget: { session: 5 USD, action: stop }')
    world.activity.current = active()
    costs.set(id, 4.99)
    await world.tick()
    expect(world.status(id)).toBe('working')
    costs.set(id, 5.2)
    await world.tick()
    expect(world.status(id)).toBe('killed')
    expect(world.calls).not.toContain('workspace.destroy')
    world.reborn()
    await world.tick()
    expect(told()).toEqual([
      `${id}: it has used $5.20; a session may use $5.00; its agent was ended, its work is kept. Give it more with: ao session budget ${id} <amount>`,
    ])
    expect(world.reactions(id)).toEqual(['over-budget stop done'])
    expect(world.store.read(id)?.record.overBudget).toBe('a session may use $5.00')
    // A person gives it more: it is there again, was asked to continue, and is not ended for the same money.
    expect((await raiseBudget(world.manager, id, 10)).level).not.toBe('undelivered')
    await world.tick()
    expect(world.status(id)).toBe('working')
    expect(world.sent.map(({ text }) => text)).toEqual([expect.stringContaining('You may spend more now')])
  })

  it('pauses an agent at work where it is, holds its messages, and lets the same process go on when there is more', async () => {
    const id = await open('budget: { session: 5 USD, action: pause }')
    const { spawnId } = world.store.read(id)!.record
    const agent = spawn('sleep', ['600'], { env: { ...process.env, AO_SPAWN_ID: spawnId } })
    onTestFinished(() => void agent.kill('SIGKILL'))
    const state = () => readFileSync(`/proc/${agent.pid}/stat`, 'utf8').split(') ')[1]![0]
    world.activity.current = active()
    costs.set(id, 5.2)
    await world.tick()
    expect(state()).toBe('T')
    expect(world.reactions(id)).toEqual(['over-budget pause done'])
    expect(told()).toEqual([expect.stringContaining('it was paused where it is')])
    const paused = await world.manager.get(id)
    expect(paused?.agentInfo?.paused?.why).toBe('by the budget: it has used $5.20; a session may use $5.00')
    expect(needOfRecord(paused!, world.clock.now())?.acts).toContain('raise')
    expect((await world.manager.deliver(id, 'faster', { source: 'user' })).level).toBe('held')
    // Hours of silence are what was asked for, and nothing is decided about it.
    world.clock.pass(300 * MINUTE)
    world.activity.current = { state: 'idle', timestamp: world.clock.now() }
    world.reborn()
    await world.tick()
    expect([world.status(id), state()]).toEqual(['working', 'T'])
    await world.manager.setBudget(id, 20)
    await world.tick()
    expect(state()).not.toBe('T')
    expect(world.store.read(id)?.record.stopped).toBeUndefined()
    await vi.waitFor(() => expect(world.sent.map(({ text }) => text)).toEqual(['faster']))
  })

  it.each(['stopping', 'continuing'] as const)('finishes what was %s when ao was killed', async (state) => {
    const id = await open('budget: { session: 5 USD, action: pause }')
    const spawnId = world.store.read(id)!.record.spawnId!
    const agent = spawn('sleep', ['600'], { env: { ...process.env, AO_SPAWN_ID: spawnId } })
    onTestFinished(() => void agent.kill('SIGKILL'))
    if (state === 'continuing') agent.kill('SIGSTOP')
    world.activity.current = active()
    costs.set(id, state === 'stopping' ? 6 : 1)
    await world.store.update(id, { stopped: { state, at: '2026-01-01T00:00:00.000Z', why: 'money', spawnId } })
    await world.tick()
    const letter = readFileSync(`/proc/${agent.pid}/stat`, 'utf8').split(') ')[1]![0]
    expect(letter === 'T').toBe(state === 'stopping')
    expect(world.store.read(id)?.record.stopped?.state).toBe(state === 'stopping' ? 'stopped' : undefined)
  })

  it('lets nothing start another turn while it is used up, and everything when there is more', async () => {
    const id = await open('budget: { session: 5, action: pause }')
    costs.set(id, 6)
    world.activity.current = { state: 'idle', timestamp: world.clock.now() }
    world.forge.readings.set(id, { kind: 'read', snapshot: failing(['unit']) })
    await world.tick()
    await world.tick()
    expect(world.sent).toEqual([])
    // It was not at work: there was nothing to pause.
    expect(world.reactions(id)).toEqual(['over-budget notify done'])
    await world.manager.setBudget(id, 20)
    await world.tick()
    expect(world.sent.map(({ text }) => text.slice(0, 10))).toEqual(['CI failed '])
    expect(world.store.read(id)?.record.overBudget).toBeUndefined()
  })

  it('that only notifies does so once, and again at each further multiple', async () => {
    const id = await open('budget: { session: 5 }')
    world.activity.current = active()
    for (const cost of [5, 7, 9.99, 10, 12]) {
      costs.set(id, cost)
      await world.tick()
    }
    expect(told()).toHaveLength(2)
    expect(world.status(id)).toBe('working')
  })

  it('of a day counts all sessions, removed ones too, survives a restart, and begins anew the next day', async () => {
    const first = await open('', 'budget: { day: 10 USD, action: stop }')
    const second = await world.spawn()
    world.activity.current = active()
    costs.set(first, 6)
    await world.tick()
    await world.manager.kill(first, { keepWorkspace: false })
    world.reborn()
    costs.set(second, 3)
    await world.tick()
    expect(world.status(second)).toBe('working')
    world.reborn()
    costs.set(second, 4)
    await world.tick()
    expect(world.status(second)).toBe('killed')
    expect(told()).toEqual([expect.stringContaining('all projects have used $10.00 today')])
    world.clock.pass(24 * 60 * MINUTE)
    const third = await world.spawn()
    costs.set(third, 1)
    await world.tick()
    expect(world.status(third)).toBe('working')
  })

  it('is counted anew when its ledger is damaged, which is kept', async () => {
    const id = await open('budget: { day: 10 USD }')
    const file = join(world.paths.dir, LEDGER_FILE)
    for (const text of ['{', '{"day":"x","sessions":{"a":{"lastUsd":null}}}']) {
      writeFileSync(file, text)
      world.reborn()
      await world.tick()
      expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(text)
    }
    expect(world.status(id)).toBe('working')
  })
})

describe('a limit of the account', () => {
  it('is waited for without anybody being needed, and the agent continues by itself, once', async () => {
    const id = await open('', 'readyThresholdMs: 1000')
    const at = world.clock.now()
    world.activity.current = { state: 'blocked', timestamp: at, evidence: 'usage limit reached, resets in 30 minutes' }
    // The last time the limit has just been reset, and it is too early to ask.
    for (const minutes of [1, 10, 18, 1.1]) {
      world.clock.pass(minutes * MINUTE)
      await world.tick()
      expect(world.status(id)).toBe('working')
    }
    expect((await world.manager.get(id))?.agentInfo?.limitResetsAt?.getTime()).toBe(at.getTime() + 30 * MINUTE)
    expect(world.sent).toEqual([])
    world.clock.pass(MINUTE)
    await world.tick()
    world.reborn()
    await world.tick()
    expect(world.sent.map(({ text }) => text)).toEqual([
      'The limit that stopped you has been reset. Continue with your task where you stopped.',
    ])
    expect(world.notifications.filter(({ type }) => type === 'session.stuck')).toEqual([])
  })

  it('without a time is an error like any other', async () => {
    const id = await open('')
    world.activity.current = { state: 'blocked', timestamp: world.clock.now(), evidence: 'usage limit reached' }
    world.clock.pass(20 * MINUTE)
    await world.tick()
    expect(world.status(id)).toBe('stuck')
  })
})
