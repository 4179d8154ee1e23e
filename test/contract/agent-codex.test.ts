// Codex 0.166.0, from a recording of every row of its state table.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { createCodexAgent, plugin } from '../../src/plugins/agent-codex/index.ts'
import type { Agent } from '../../src/slots/agent.ts'
import { type AgentSubject, describeAgent, type Moment } from './agent-suite.ts'
import { type AgentWorld, createAgentWorld, cutAt, HOOK_COMMAND, placeFile, readTelemetry } from './agent-world.ts'

const RECORDED_CWD = '/home/user/repos/codex'
const THREAD_ID = '01a1dcc2-01b0-7e60-b292-61ac870bd144'
const ROLLOUT = `rollout-2026-11-15T01-11-04-${THREAD_ID}.jsonl`
const LAUNCHED = new Date('2026-11-15T01:11:00Z')

/** Hooks and rollout were recorded in two sessions, so each moment comes from one of them. */
const MOMENTS: Record<Moment, { time: string; from: 'rollout' | 'hooks' }> = {
  working: { time: '01:11:19.900', from: 'rollout' },
  finished: { time: '01:11:10.000', from: 'rollout' },
  escape: { time: '01:11:42.000', from: 'rollout' },
  'api error': { time: '01:11:45.000', from: 'rollout' },
  'kill -9': { time: '01:12:02.000', from: 'rollout' },
  permission: { time: '01:12:35.000', from: 'hooks' },
  exited: { time: '01:12:40.000', from: 'hooks' },
}

const at = (time: string) => new Date(`2026-11-15T${time}Z`)

const files = {
  rollout: ({ home }: AgentWorld) => join(home, '.codex', 'sessions', '2026', '11', '15', ROLLOUT),
  hooks: ({ stateDir }: AgentWorld) => join(stateDir, 'hooks.jsonl'),
}

async function stage(world: AgentWorld, moment: Moment) {
  const { time, from } = MOMENTS[moment]
  const now = at(time)
  await createAgent(world).prepare!(world.launch({ prompt: 'go' }))
  const localise = (text: string) => text.replaceAll(RECORDED_CWD, world.workspacePath)
  if (from === 'rollout')
    placeFile(files.rollout(world), localise(cutAt(readTelemetry('codex/rollout.jsonl'), now)), now)
  if (from === 'hooks') {
    placeFile(files.hooks(world), localise(cutAt(readTelemetry('codex/hooks.jsonl'), now)), now)
    placeFile(files.rollout(world), localise(readTelemetry('codex/rollout.jsonl')), at('01:12:05'))
  }
  return now
}

function createAgent(world: AgentWorld, clock = { now: () => LAUNCHED }): Agent {
  installFakeCodex(world)
  return createCodexAgent({ context: world.context, prices: {}, clock })
}

function installFakeCodex({ home, context }: AgentWorld): void {
  const bin = join(home, 'bin')
  mkdirSync(bin, { recursive: true })
  const fixture = join(import.meta.dirname, '..', 'fixtures', 'telemetry', 'codex', 'fake-codex.mjs')
  writeFileSync(join(bin, 'codex'), `#!/bin/sh\nexec '${process.execPath}' '${fixture}' "$@"\n`)
  chmodSync(join(bin, 'codex'), 0o755)
  context.env.PATH = `${bin}:${process.env.PATH}`
}

const flagValue = (command: string[], key: string) =>
  command.find((argument) => argument.startsWith(`${key}=`))?.slice(key.length + 1)

/** The text of the argument, and of the file that it names. */
function withNamedFile(text: string): string {
  const file = /(\/\S+\.md)\b/.exec(text)?.[1]
  return file ? text + readFileSync(file, 'utf8') : text
}

const subject: AgentSubject = {
  plugin,
  program: 'codex',
  // What the suite launches itself comes after everything that was recorded.
  create: (world) => createAgent(world, { now: () => new Date('2026-11-16T00:00:00Z') }),
  stage,
  expected: {
    working: 'active',
    finished: 'ready',
    permission: 'waiting_input',
    escape: 'ready',
    'api error': 'blocked',
    // Codex leaves no sign of a sudden death; only the runtime can report that the process is gone.
    'kill -9': 'active',
    exited: 'exited',
  },
  files: (world) => [files.rollout(world), ...(MOMENTS.finished.from === 'rollout' ? [] : [files.hooks(world)])],
  agentSessionId: THREAD_ID,
  prompt: ({ workspacePath }) => ({
    text: `LAB:WRITE ${workspacePath}/perm.txt`,
    at: at('01:11:04.543'),
    stagedBy: 'finished',
  }),
  info: ({ workspacePath }) => ({
    stagedBy: 'finished',
    summary: `LAB:WRITE ${workspacePath}/perm.txt`,
    summaryIsFallback: true,
    agentSessionId: THREAD_ID,
    model: 'gpt-5.2-codex',
    // 223 input tokens for $1.75 and 65 output tokens for $14 the million.
    cost: {
      inputTokens: 223,
      outputTokens: 65,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      estimatedCostUsd: (223 * 1.75 + 65 * 14) / 1_000_000,
    },
    lastMessage: 'LAB-DONE WRITE',
  }),
  permissionFlags: {
    skip: ['--dangerously-bypass-approvals-and-sandbox'],
    'auto-edit': ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request'],
    default: [],
    suggest: ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'],
  },
  resumeWords: ['resume', '--no-daemon', '--cd'],
  instructionsIn: (command) => withNamedFile(JSON.parse(flagValue(command, 'developer_instructions')!) as string),
  taskIn: (command) => withNamedFile(command.at(-1)!),
  screens: [
    ['codex/screens/permission.txt', 'waiting_input'],
    ['codex/screens/working.txt', 'active'],
    ['codex/screens/ready.txt', 'ready'],
    ['codex/screens/error.txt', 'blocked'],
  ],
}

describeAgent('codex', subject)

describe('Codex in particular', () => {
  let world: AgentWorld
  let agent: Agent

  beforeEach(() => {
    world = createAgentWorld()
    agent = createAgent(world)
  })
  afterEach(async () => {
    expect(await world.temp.cleanup()).toEqual([])
  })

  const reading = (now: Date) => agent.getActivityState(world.session, world.options(now))

  it('keeps clear of the daemon, of updates and of the trust dialog by flags alone', () => {
    const command = agent.getLaunchCommand(world.launch({ prompt: 'go' }))
    expect(command).toContain('--no-daemon')
    expect(flagValue(command, 'features.daemon_auto_start')).toBe('false')
    expect(flagValue(command, 'check_for_update_on_startup')).toBe('false')
    // The path contains dots, so it is a key of an inline table and not part of the dotted name.
    expect(flagValue(command, 'projects')).toBe(`{"${world.workspacePath}"={trust_level="trusted"}}`)
  })

  it("passes ao's MCP server to Codex and lets it see the session", () => {
    const server = flagValue(agent.getLaunchCommand(world.launch()), 'mcp_servers.ao')
    expect(server).toContain('"command"="/opt/ao/node","args"=["/opt/ao/ao.js","mcp"]')
    expect(server).toContain('"AO_SESSION","AO_DATA_DIR"')
  })

  it('trusts its own hooks for the launch, with the digests that Codex names, and touches no file of the user', async () => {
    const facts = await agent.readFacts!(world.launch())
    const command = agent.getLaunchCommand(world.launch({ facts }))
    const event = [...HOOK_COMMAND, 'PermissionRequest'].map((word) => `'${word.replace("'", "'\\''")}'`).join(' ')
    expect(flagValue(command, 'hooks.PermissionRequest')).toBe(
      `[{hooks=[{type="command",command=${JSON.stringify(event)},timeout=3}]}]`,
    )
    const state = flagValue(command, 'hooks.state')
    expect(state).toContain('"/<session-flags>/config.toml:stop:0:0"={"trusted_hash"="sha256:of Stop"}')
    expect(state).not.toContain('hooks.json')
    expect(command).not.toContain('--dangerously-bypass-hook-trust')
  })

  it('runs no hook at all while hooks of others wait for review, and says so', async () => {
    const lines: string[] = []
    world.context.env.FAKE_CODEX = 'foreign'
    world.context.log = createLog('warn', (line) => lines.push(line))
    const facts = await agent.readFacts!(world.launch())
    const command = agent.getLaunchCommand(world.launch({ facts }))
    expect(flagValue(command, 'features.hooks')).toBe('false')
    expect(command.some((argument) => argument.startsWith('hooks.'))).toBe(false)
    expect(lines.join('')).toContain('/repo/.codex/hooks.json:stop:0:0')
  })

  it.each(['old', 'missing'])('starts without hooks when Codex cannot list them (%s)', async (mode) => {
    if (mode === 'old') world.context.env.FAKE_CODEX = 'old'
    else world.context.env.PATH = '/nowhere'
    const facts = await agent.readFacts!(world.launch())
    const command = agent.getLaunchCommand(world.launch({ facts }))
    expect(command.some((argument) => argument.startsWith('hooks.') || argument.startsWith('features.hooks'))).toBe(
      false,
    )
  })

  it('S0.36 S0.47 guesses without hooks that a command outside the sandbox waits for approval', async () => {
    await stage(world, 'working')
    const shown = cutAt(readTelemetry('codex/rollout.jsonl'), at('01:11:25'))
    placeFile(files.rollout(world), shown.replaceAll(RECORDED_CWD, world.workspacePath), at('01:11:25'))
    expect((await reading(at('01:11:21')))?.state).toBe('active')
    const later = await reading(at('01:11:25'))
    expect(later?.state).toBe('waiting_input')
    expect(later?.evidence).toContain('probably')
  })

  it('S0.45 is ready when it was started or resumed without a prompt and wrote nothing since', async () => {
    await stage(world, 'kill -9')
    const restarted = createAgent(world, { now: () => at('01:20:00') })
    const command = await restarted.getRestoreCommand!(world.session, world.launch())
    await restarted.prepare!({ ...world.launch(), isResume: true })
    expect(command?.at(-1)).toBe(THREAD_ID)
    expect((await reading(at('01:20:10')))?.state).toBe('ready')
    expect((await reading(at('01:30:10')))?.state).toBe('idle')
  })

  it('is not misled by what the hooks of an earlier launch reported', async () => {
    await stage(world, 'finished')
    const earlier = files.rollout(world).replace(THREAD_ID, '11111111-1111-4111-8111-111111111111')
    placeFile(earlier, '{"type":"session_meta","payload":{}}\n', at('01:05:00'))
    const payload = { transcript_path: earlier }
    const line = { at: '2026-11-15T01:05:00.000Z', agent: 'codex', event: 'SessionStart', payload }
    writeFileSync(files.hooks(world), `${JSON.stringify(line)}\n`)
    expect((await reading(at('01:11:10')))?.state).toBe('ready')
    const info = await agent.getSessionInfo(world.session, world.options(at('01:11:10')))
    expect(info?.agentSessionId).toBe(THREAD_ID)
    expect(await agent.getRestoreCommand!(world.session, world.launch())).toContain(THREAD_ID)
  })

  it('does not take a sub-agent, another directory or an older thread for its own', async () => {
    await stage(world, 'working')
    const meta = (payload: object) =>
      `${JSON.stringify({ type: 'session_meta', timestamp: '2026-11-15T01:12:00Z', payload })}\n`
    const place = (id: string, payload: object, changed: Date) =>
      placeFile(files.rollout(world).replace(THREAD_ID, id), meta(payload), changed)
    const cwd = world.workspacePath
    place('11111111-1111-4111-8111-111111111111', { cwd, source: { subagent: 'review' } }, at('01:12:01'))
    place('22222222-2222-4222-8222-222222222222', { cwd: '/somewhere/else', source: 'cli' }, at('01:12:02'))
    place('33333333-3333-4333-8333-333333333333', { cwd, source: 'cli' }, at('01:10:00'))
    const info = await agent.getSessionInfo(world.session, world.options(at('01:12:05')))
    expect(info?.agentSessionId).toBe(THREAD_ID)
    // Remembered now: the directory is not searched again.
    const remembered = JSON.parse(readFileSync(join(world.stateDir, 'codex-rollout.json'), 'utf8'))
    expect(remembered).toEqual({ path: files.rollout(world) })
  })

  it('finds an old thread in the directories of other days, and an archived one', async () => {
    const day = join(world.home, '.codex', 'sessions', '2025', '02', '03')
    const content = readTelemetry('codex/rollout.jsonl').replaceAll(RECORDED_CWD, world.workspacePath)
    placeFile(join(day, ROLLOUT), content, new Date('2025-02-03T10:00:00Z'))
    expect(await agent.getRestoreCommand!(world.session, world.launch())).toContain(THREAD_ID)
    const other = createAgentWorld()
    placeFile(join(other.home, '.codex', 'archived_sessions', ROLLOUT), content, at('01:12:05'))
    const session = { ...other.session, workspacePath: world.workspacePath }
    const info = await createAgent(other).getSessionInfo(session, other.options(at('01:12:05')))
    expect(info?.agentSessionId).toBe(THREAD_ID)
    expect(await other.temp.cleanup()).toEqual([])
  })

  it('lists what was said in a directory before ao, and continues that thread', async () => {
    const meta = readTelemetry('codex/rollout.jsonl').replaceAll(RECORDED_CWD, world.workspacePath)
    const newer = '11111111-1111-4111-8111-111111111111'
    placeFile(files.rollout(world), meta, at('01:12:05'))
    placeFile(files.rollout(world).replace(THREAD_ID, newer), meta, at('01:13:05'))
    const found = await agent.listConversations!(['/elsewhere', world.workspacePath])
    expect(found.map(({ id, directory }) => [id, directory])).toEqual([
      [newer, world.workspacePath],
      [THREAD_ID, world.workspacePath],
    ])
    expect(found[0]!.title).toMatch(/\w/)
    const adopted = { ...world.session, metadata: { conversation: THREAD_ID } }
    expect((await agent.getRestoreCommand!(adopted, world.launch()))?.at(-1)).toBe(THREAD_ID)
  })
})
