// Forks with a copy of the conversation, and agents in their plan mode, over ACP.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld
let beside: AghBeside

beforeAll(() => buildAo(), 60_000)

/** `acp`: what the scripted agent offers. */
async function begin(acp: string): Promise<void> {
  world = createAoWorld()
  beside = aghBeside(world.temp.home, world.temp.env)
  const env = {
    FAKE_ACP: `\${OFFERS:-${acp}}`,
    FAKE_ACP_STORE: join(world.temp.home, 'conversations'),
    FAKE_ACP_LIES: '${LIES:-}',
  }
  const agentConfig = { command: [process.execPath, testProgram('acp-agent')], env }
  const config = {
    defaults: { runtime: 'acp', notifiers: [] },
    projects: { app: { path: '.', agent: 'generic', agentConfig } },
  }
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), JSON.stringify(config))
  await world.agree()
}

afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  await beside.stop()
  expect(await world.temp.cleanup()).toEqual([])
})

const kept = (id: string) => beside.sessions().find(({ driver }) => driver?.key.endsWith(`-${id}`))!
const conversation = (id: string) => beside.agh('session', 'history', kept(id).id)
const untilSaid = (id: string, text: string) => waitFor(`${id} to say ${text}`, () => conversation(id).includes(text))

it('a fork has the files and a copy of the conversation, and says so; without one it begins a new one, and says why', async () => {
  await begin('resume,fork')
  await world.ao(['spawn', '--prompt', 'say the magic word'])
  await untilSaid('app-1', 'the magic word')
  writeFileSync(join(world.temp.home, '.worktrees', 'app', 'app-1', 'untracked'), 'work')
  const copied = await world.ao(['session', 'fork', 'app-1'])
  expect(copied.stdout).toContain('with a copy of the conversation')
  expect((await world.ao(['why', 'app-2'])).stdout).toContain(
    'it began with the work of app-1 and a copy of its conversation',
  )
  expect(readFileSync(join(world.temp.home, '.worktrees', 'app', 'app-2', 'untracked'), 'utf8')).toBe('work')
  expect(kept('app-2')).toMatchObject({ started_with: 'fork', forked_from: { session_id: kept('app-1').id } })
  expect((await world.ao(['send', 'app-2', 'recall'])).code).toBe(0)
  await untilSaid('app-2', 'say the magic word|')
  const refused = await world.ao(['session', 'fork', 'app-1'], { env: { LIES: 'fail' } })
  expect(refused.stderr).toContain('did not copy the conversation and begins a new one')
  expect(refused.stderr).toContain('not today')
  expect(refused.stdout).toContain('in a new conversation')
  const why = (await world.ao(['why', 'app-3'])).stdout
  expect(why).toContain('it began with the work of app-1 in a new conversation')
}, 120_000)

it('--mode plan is chosen before the agent gets its task, and an agent without such a mode does not start', async () => {
  await begin('options')
  const plan = await world.ao(['spawn', '--prompt', 'chosen', '--mode', 'plan', '--dry-run'])
  expect(plan.stdout).toContain('plan, if the agent offers it')
  const started = await world.ao(['spawn', '--prompt', 'chosen', '--mode', 'plan'])
  expect(started.stdout).toContain('in its plan mode')
  await untilSaid('app-1', '"mode":"plan"')

  const refused = await world.ao(['spawn', '--prompt', 'say hello', '--mode', 'plan'], { env: { OFFERS: 'none' } })
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('The agent does not offer the mode plan. It offers: none')
  expect((await world.json<{ sessions: unknown[] }>(['session', 'ls'])).sessions).toMatchObject([{ id: 'app-1' }])
}, 120_000)
