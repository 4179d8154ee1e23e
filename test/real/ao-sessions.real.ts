// Real agents as sessions of ao on agh: from spawn over a question to a restore that remembers. Their model is scripted.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ModelServer, startModelServer } from './model/model-server.ts'
import { WRITTEN } from './model/script.ts'
import { AGENTS } from './real-agents.ts'

let world: AoWorld
let beside: AghBeside
let model: ModelServer

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({ config: '' })
  beside = aghBeside(world.temp.home, world.temp.env)
  model = await startModelServer()
})

afterEach(async () => {
  await beside.stop()
  await model.close()
  expect(await world.temp.cleanup()).toEqual([])
})

describe.each(AGENTS)('runtime: acp with $aoName', (agent) => {
  it('asks before it edits, is allowed by ao session approve, killed, restored, and remembers', async () => {
    const { home } = world.temp
    const worktree = join(home, '.worktrees', 'app', 'app-1')
    agent.prepare(model.url, home, worktree)
    const command = JSON.stringify([process.execPath, join(inject('agentsPrefix'), 'node_modules', '.bin', agent.name)])
    const config = `defaults: { runtime: acp, notifiers: [] }\nprojects:\n  app:\n    path: .\n    agent: ${agent.aoName}\n    agentConfig: { permissions: suggest, acpCommand: ${command} }\n`
    writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), config)
    git(world.repo, world.temp.env, 'add', '-A')
    git(world.repo, world.temp.env, 'commit', '-qm', 'configuration')
    const env = agent.env(model.url, home)
    const ao = (...args: string[]) => world.ao(args, { env })
    expect((await ao('config', 'trust', '--yes')).code).toBe(0)

    const target = join(worktree, 'hello.txt')
    const prompt = `TASK:WRITE ${target} and keep in mind: the password is blue-tiger-42`
    const spawned = await ao('spawn', '--prompt', prompt)
    expect(spawned.code, spawned.stderr).toBe(0)
    await waitFor('the question', async () => (await ao('session', 'ls')).stdout.includes('needs_input'), 60_000)
    const approved = await ao('session', 'approve', 'app-1')
    expect(approved.code, approved.stderr).toBe(0)
    await waitFor('the file', () => readFileSync(target, 'utf8') === WRITTEN, 60_000)
    await waitFor('the end of the turn', async () => (await ao('session', 'ls')).stdout.includes('ready'), 60_000)
    const { session } = await world.json<{ session: { cost: { outputTokens: number } | null } }>(
      ['session', 'show', 'app-1'],
      { env },
    )
    expect(session.cost?.outputTokens).toBeGreaterThan(0)

    const before = beside.sessions()[0]!.id
    expect((await ao('session', 'kill', 'app-1')).code).toBe(0)
    const restored = await ao('session', 'restore', 'app-1')
    expect(restored.code, restored.stderr).toBe(0)
    expect(beside.sessions()).toMatchObject([{ id: before, state: 'active', started_with: 'resume' }])
    const sent = await world.json<{ receipt: object }>(['send', 'app-1', 'TASK:RECALL'], { env })
    expect(sent.receipt).toMatchObject({ level: 'seen' })
    const history = () => beside.agh('session', 'history', before)
    await waitFor('what it remembers', () => history().includes('It was blue-tiger-42.'), 60_000)
    console.log(history())
  })
})
