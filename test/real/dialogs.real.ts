// A message is never an approval: real agents in terminals that ask before they run a command. Their model is scripted.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { SessionEvent } from '../../src/contract/events.ts'
import type { SendReceipt } from '../../src/contract/session.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ModelServer, startModelServer } from './model/model-server.ts'
import { TERMINAL_AGENTS, type TerminalAgent } from './terminal-agents.ts'

let world: AoWorld
let model: ModelServer
let env: NodeJS.ProcessEnv

beforeAll(() => buildAo(), 120_000)
beforeEach(async () => {
  world = createAoWorld({ config: '' })
  model = await startModelServer()
})
afterEach(async () => {
  await world.ao(['session', 'kill', 'app-1', '--force'], { env })
  await model.close()
  expect(await world.temp.cleanup()).toEqual([])
})

const worktree = () => join(world.temp.home, '.worktrees', 'app', 'app-1')
const fileInWorktree = (name: string) => join(worktree(), name)
const ao = (...args: string[]) => world.ao(args, { env })

async function spawnAsking(agent: TerminalAgent, runtime: string, target: string): Promise<void> {
  const bin = join(inject('agentsPrefix'), 'node_modules', '.bin')
  env = { ...agent.env(model.url, world.temp.home), PATH: `${bin}:${world.temp.env.PATH}` }
  agent.prepare(model.url, world.temp.home, [worktree()])
  const agentConfig = JSON.stringify({ permissions: 'suggest', ...agent.config(bin) })
  const config = `defaults: { runtime: ${runtime}, notifiers: [] }\nprojects:\n  app:\n    path: .\n    agent: ${agent.ao}\n    agentConfig: ${agentConfig}\n`
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), config)
  git(world.repo, world.temp.env, 'add', '-A')
  git(world.repo, world.temp.env, 'commit', '-qm', 'configuration')
  expect((await ao('config', 'trust', '--yes')).code).toBe(0)
  const spawned = await ao('spawn', '--prompt', `TASK:WRITE ${target}`)
  expect(spawned.code, spawned.stderr).toBe(0)
  await waitFor('the dialog', async () => (await questionShown()).length > 0, 120_000)
}

async function questionShown(): Promise<string> {
  return /^ *asks +([\s\S]*)$/m.exec((await ao('session', 'show', 'app-1')).stdout)?.[1] ?? ''
}

const send = async (text: string) =>
  (await world.json<{ receipt: SendReceipt }>(['send', 'app-1', text], { env })).receipt

async function messagesSeen(text: string): Promise<number> {
  const { session } = await world.json<{ session: { history: SessionEvent[] } }>(
    ['session', 'show', 'app-1', '-n', 'all'],
    { env },
  )
  const ids = session.history.flatMap((one) =>
    one.type === 'message.queued' && one.text === text ? [one.messageId] : [],
  )
  return session.history.filter((one) => one.type === 'message.handed_over' && ids.includes(one.messageId)).length
}

const CASES = TERMINAL_AGENTS.filter(({ asksNothing }) => !asksNothing).flatMap((agent) =>
  (agent.ao === 'claude-code' || agent.ao === 'codex' ? ['tmux', 'process'] : ['tmux']).map(
    (runtime) => [agent.name, runtime, agent] as const,
  ),
)

describe.each(CASES)('%s in %s', (_name, runtime, agent) => {
  it('a message during its dialog is held, not an approval, and arrives once after ao session approve', async () => {
    const target = fileInWorktree('approved.txt')
    await spawnAsking(agent, runtime, target)
    expect(await questionShown()).toContain('approved.txt')
    expect(await send('please mind the gap')).toMatchObject({ level: 'held' })
    expect(existsSync(target)).toBe(false)
    const approved = await ao('session', 'approve', 'app-1')
    expect(approved.code, approved.stderr).toBe(0)
    await waitFor('the command', () => existsSync(target), 60_000)
    // Nothing takes care of it here: the next command delivers what could not be delivered immediately.
    if ((await messagesSeen('please mind the gap')) === 0) await send('and something else')
    await waitFor('the message', async () => (await messagesSeen('please mind the gap')) === 1, 60_000)
    await waitFor('the model to hear it', () => model.heard('please mind the gap') > 0, 60_000)
  })

  it('ao session deny reaches the refusal', async () => {
    const target = fileInWorktree('denied.txt')
    await spawnAsking(agent, runtime, target)
    const denied = await ao('session', 'deny', 'app-1')
    expect(denied.code, denied.stderr).toBe(0)
    expect(denied.stdout).toContain('reject-once')
    await waitFor('the end of the question', async () => (await questionShown()) === '', 30_000)
    expect(existsSync(target)).toBe(false)
  })

  it('a message that was held during its dialog is answered after ao session deny', async () => {
    const target = fileInWorktree('denied.txt')
    await spawnAsking(agent, runtime, target)
    expect(await send('TASK:HELLO mind the gap')).toMatchObject({ level: 'held' })
    const denied = await ao('session', 'deny', 'app-1')
    expect(denied.code, denied.stderr).toBe(0)
    if ((await messagesSeen('TASK:HELLO mind the gap')) === 0) await send('TASK:HELLO and something else')
    await waitFor('the model to hear it', () => model.heard('mind the gap') > 0, 60_000)
    expect(existsSync(target)).toBe(false)
  })
})
