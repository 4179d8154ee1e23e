// Real agents go back within their own conversation: what the model gets afterwards is what was said before that turn, and nothing that
// came later; forward again; and into a second session from there. Their own files stay as they were.
// AO_REAL_AGENTS=codex,pi chooses some of them.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, inject, it } from 'vitest'
import { stringify } from 'yaml'
import { git } from '../support/git-repo.ts'
import { buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startModelServer } from './model/model-server.ts'
import { TERMINAL_AGENTS } from './terminal-agents.ts'

const endings: Array<() => Promise<unknown>> = []
beforeAll(() => buildAo(), 120_000)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
}, 60_000)

/** What goes along with a fork; the directory of a new worktree is Gemini's own to name. */
const GOES_BACK: Readonly<Record<string, { forks: boolean }>> = {
  'claude-code': { forks: true },
  codex: { forks: true },
  gemini: { forks: false },
  qwen: { forks: true },
  pi: { forks: true },
}
const chosen = process.env.AO_REAL_AGENTS?.split(',')
const agents = TERMINAL_AGENTS.filter(({ ao }) => chosen?.includes(ao) ?? true)

it.each(agents)('$name', { timeout: 400_000 }, async (agent) => {
  const bin = join(inject('agentsPrefix'), 'node_modules', '.bin')
  const world = createAoWorld({ config: '' })
  endings.push(() => world.temp.cleanup())
  const { home } = world.temp
  const model = await startModelServer()
  endings.push(() => model.close())
  const worktree = (id: string) => join(home, '.worktrees', 'app', id)
  agent.prepare(model.url, home, [worktree('app-1'), worktree('app-2')])
  const env = { ...agent.env(model.url, home), PATH: `${bin}:${world.temp.env.PATH}` }
  const config = {
    port: 0,
    defaults: { agent: agent.ao, runtime: 'tmux', notifiers: [] },
    projects: {
      app: {
        path: '.',
        tracker: 'local',
        scm: 'local',
        agentConfig: {
          permissions: agent.permissions ?? 'skip',
          env: agent.env(model.url, home),
          ...agent.config(bin),
        },
      },
    },
  }
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), stringify(config))
  git(world.repo, world.temp.env, 'add', '-A')
  git(world.repo, world.temp.env, 'commit', '-qm', 'configuration')
  const ao = (...args: string[]) => world.ao(args, { env, timeoutMs: 150_000 })
  await ao('config', 'trust', '--yes')
  endings.push(() => ao('stop', '--sessions'))
  const show = async () => (await ao('session', 'show', 'app-1')).stdout
  const untilReady = (id = 'app-1') =>
    waitFor(
      `${id} is ready`,
      async () => {
        const { sessions } = await world.json<{ sessions: Array<{ id: string; activity: string }> }>(
          ['session', 'ls'],
          { env },
        )
        return ['ready', 'idle'].includes(sessions.find((one) => one.id === id)?.activity ?? '')
      },
      90_000,
    )
  /** The newest request of the agent's with these words: everything that it then had of the user's. */
  const heardWith = (wording: string) =>
    waitFor(
      wording,
      () =>
        model.steps.findLast(({ userTexts }) => userTexts.some((text) => text.includes(wording)))?.userTexts.join('\n'),
      90_000,
    )
  const say = async (text: string) => {
    const sent = await ao('send', 'app-1', text)
    expect(sent.code, `${sent.stderr}\n${await show()}`).toBe(0)
    const heard = await heardWith(text)
    await untilReady()
    return heard
  }

  const spawned = await ao('spawn', '--prompt', 'the first flower is a tulip-one. TASK:HELLO')
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
  await heardWith('tulip-one')
  await untilReady()
  await say('the second flower is a rose-two. TASK:HELLO')
  await say('the third flower is an aster-three. TASK:HELLO')
  const before = filesOf(home)

  const rewound = await world.json<{ conversation: string; keptBecause: string | null; saved: number }>(
    ['session', 'rewind', 'app-1', '--to', '2'],
    { env, timeoutMs: 150_000 },
  )
  console.log(`${agent.name}: ${rewound.conversation} (${rewound.keptBecause})`)
  const how = GOES_BACK[agent.ao]
  expect(rewound.conversation).toBe(how ? 'back' : 'kept')
  if (!how) return
  for (const [file, bytes] of before)
    expect(readFileSync(file).subarray(0, bytes.length).equals(bytes), file).toBe(true)
  const after = await say('the fourth flower is a dahlia-four. TASK:HELLO')
  expect(after).toContain('tulip-one')
  expect(after).not.toMatch(/rose-two|aster-three/)

  // A restore stays there.
  await ao('session', 'kill', 'app-1')
  expect((await ao('session', 'restore', 'app-1')).code).toBe(0)
  await untilReady()
  const restored = await say('the fifth flower is a lily-five. TASK:HELLO')
  expect(restored).toContain('dahlia-four')
  expect(restored).not.toMatch(/rose-two|aster-three/)

  // As it was before.
  const undone = await ao('session', 'rewind', 'app-1', '--to', String(rewound.saved))
  expect(undone.stdout, undone.stderr).toContain('has gone back, too')
  const forward = await say('the sixth flower is a poppy-six. TASK:HELLO')
  expect(forward).toContain('aster-three')
  expect(forward).not.toMatch(/dahlia-four|lily-five/)

  const forked = await ao('session', 'fork', 'app-1', '--at', '3')
  expect(forked.stdout, forked.stderr).toContain(
    how.forks ? 'with a copy of the conversation' : 'in a new conversation',
  )
  if (!how.forks) return
  const other = await heardWith('began as a copy of that of the session app-1')
  expect(other).toContain('rose-two')
  expect(other).not.toMatch(/aster-three|poppy-six/)
})

/** What the agents wrote down of conversations; they append. */
function filesOf(home: string): Array<[string, Buffer]> {
  const all = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.jsonl') && !name.includes('.agent-orchestrator') && /sessions|projects|chats/.test(name),
  )
  return all
    .map((name) => join(home, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => [file, readFileSync(file)])
}
