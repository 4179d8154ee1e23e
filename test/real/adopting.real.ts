// Real agents that somebody started without ao, in worktrees and in panes of a tmux of their own: their conversations become sessions
// that remember. AO_REAL_AGENTS=codex,pi chooses some of them.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { stringify } from 'yaml'
import { agentRow } from '../../src/contract/agents/agent-table.ts'
import { git } from '../support/git-repo.ts'
import { buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startModelServer } from './model/model-server.ts'
import { TERMINAL_AGENTS, type TerminalAgent } from './terminal-agents.ts'

const endings: Array<() => unknown> = []
beforeAll(() => buildAo(), 120_000)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
}, 90_000)

/** How a person starts each with something to say. */
const STARTED: Readonly<Record<string, (text: string) => string[]>> = {
  'claude-code': (text) => [text],
  codex: (text) => ['--no-daemon', '-c', 'check_for_update_on_startup=false', text],
  opencode: (text) => [`--prompt=${text}`],
  gemini: (text) => ['-m', 'gemini-2.5-flash', `--prompt-interactive=${text}`],
  qwen: (text) => [`--prompt-interactive=${text}`],
  pi: (text) => [text],
}

interface Row {
  kind: string
  name: string
  agent: string | null
  conversation: string | null
  title: string | null
  refusal: { why: string } | null
}

async function beginWorld(agent: TerminalAgent) {
  const bin = join(inject('agentsPrefix'), 'node_modules', '.bin')
  const world = createAoWorld({ config: '' })
  endings.push(async () => expect(await world.temp.cleanup()).toEqual([]))
  const { home } = world.temp
  const model = await startModelServer()
  endings.push(() => model.close())
  const tree = join(home, 'mine')
  agent.prepare(model.url, home, [tree, join(home, '.worktrees', 'app', 'app-1')])
  // What a person answered when they first worked there.
  if (agent.ao === 'claude-code') {
    const file = join(home, 'claude', '.claude.json')
    const account = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...account, projects: { [tree]: { hasTrustDialogAccepted: true } } }))
  }
  const own = agent.env(model.url, home)
  const env = { ...own, PATH: `${bin}:${world.temp.env.PATH}` }
  const config = {
    port: 0,
    defaults: { agent: agent.ao, runtime: 'tmux', notifiers: [] },
    projects: {
      app: {
        ...{ path: '.', tracker: 'local', scm: 'local' },
        agentConfig: { permissions: agent.permissions ?? 'skip', env: own, ...agent.config(bin) },
      },
    },
  }
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), stringify(config))
  git(world.repo, world.temp.env, 'add', '-A')
  git(world.repo, world.temp.env, 'commit', '-qm', 'configuration')
  git(world.repo, world.temp.env, 'worktree', 'add', '--quiet', '-b', 'fix-login', tree)
  const ao = (...args: string[]) => world.ao(args, { env, timeoutMs: 150_000 })
  await ao('config', 'trust', '--yes')
  endings.push(() => ao('stop', '--sessions'))

  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', 'own', ...args], { env: { ...world.temp.env, ...env } as NodeJS.ProcessEnv }).toString()
  tmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-x',
    '140',
    '-y',
    '45',
    '-s',
    'mine',
    '-c',
    tree,
    'bash',
    '--norc',
    '--noprofile',
  )
  endings.push(() => tmux('kill-server'))
  const quoted = STARTED[agent.ao]!('the first flower is a tulip-one. TASK:HELLO').map((word) => `'${word}'`)
  tmux('send-keys', '-t', '%0', '-l', [agentRow(agent.ao)!.program, ...quoted].join(' '))
  tmux('send-keys', '-t', '%0', 'Enter')
  const screen = () => tmux('capture-pane', '-p', '-t', '%0')
  const heardWith = async (wording: string) => {
    const step = () => model.steps.findLast(({ userTexts }) => userTexts.some((text) => text.includes(wording)))
    const found = await waitFor(wording, () => (step()?.answeredAt ? step() : null), 90_000).catch(async (error) => {
      throw new Error(`${error}\n${(await ao('session', 'show', 'app-1')).stdout}`)
    })
    return found.userTexts.join('\n')
  }
  await heardWith('tulip-one')
  const list = async () => (await world.json<{ work: Row[] }>(['adopt'], { env, timeoutMs: 150_000 })).work
  const say = async (text: string) => {
    const sent = await ao('send', 'app-1', text)
    expect(sent.code, `${sent.stderr}\n${(await ao('session', 'show', 'app-1')).stdout}`).toBe(0)
    return heardWith(text)
  }
  return { ao, tmux, tree, list, say, screen, home }
}

const chosen = process.env.AO_REAL_AGENTS?.split(',')
const agents = TERMINAL_AGENTS.filter(({ ao }) => ao in STARTED && (chosen?.includes(ao) ?? true))

describe.each(agents)('$name', { timeout: 400_000 }, (agent) => {
  it('goes on in its pane as a session, is ended alone, and is restored with its conversation', async () => {
    const { ao, list, say, tmux, screen } = await beginWorld(agent)
    const pane = await waitFor('the pane', async () => (await list()).find(({ kind }) => kind === 'terminal'), 60_000)
    expect(pane).toMatchObject({ name: 'own:%0', agent: agent.ao })
    const adopted = await ao('adopt', 'own:%0', '--yes')
    expect(adopted.stdout, adopted.stderr).toContain('SESSION=app-1')
    expect(await say('the second flower is a rose-two. TASK:HELLO')).toContain('tulip-one')
    const killed = await ao('session', 'kill', 'app-1')
    expect(killed.code, killed.stderr).toBe(0)
    tmux('send-keys', '-t', '%0', '-l', ' echo no${EMPTY}thing else')
    tmux('send-keys', '-t', '%0', 'Enter')
    await waitFor('its shell answers', () => screen().includes('nothing else'), 20_000)
    const restored = await ao('session', 'restore', 'app-1')
    expect(restored.code, restored.stderr).toBe(0)
    expect(await say('the third flower is an aster-three. TASK:HELLO')).toMatch(/tulip-one[\s\S]*rose-two/)
  })

  it('that has ended is listed with its conversation, and continues it where it was held', async () => {
    const { ao, list, say, tmux, tree } = await beginWorld(agent)
    await waitFor('it is running', async () => (await list()).some(({ kind }) => kind === 'terminal'), 60_000)
    tmux('kill-pane', '-t', '%0')
    endings.splice(-1)
    const found = await waitFor(
      'its conversation',
      async () => (await list()).find(({ name, refusal, conversation }) => name === tree && !refusal && conversation),
      30_000,
    ).catch(async (error) => {
      throw new Error(`${error}\n${JSON.stringify(await list(), null, 1)}`)
    })
    console.log(agent.name, JSON.stringify(found))
    // OpenCode has its model make a title.
    expect(found).toMatchObject({
      agent: agent.ao,
      title: agent.ao === 'opencode' ? 'ok' : expect.stringContaining('tulip'),
    })
    const adopted = await ao('adopt', tree, '--yes')
    expect(adopted.stdout, adopted.stderr).toContain('SESSION=app-1')
    expect(await say('the second flower is a rose-two. TASK:HELLO')).toContain('tulip-one')
  })
})
