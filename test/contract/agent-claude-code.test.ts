// Claude Code 2.1.325, from a recording of every row of its state table.
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identify } from '../../src/lib/process/process-identity.ts'
import { createClaudeAgent, plugin } from '../../src/plugins/agent-claude-code/index.ts'
import type { Agent } from '../../src/slots/agent.ts'
import { type AgentSubject, describeAgent, type Moment } from './agent-suite.ts'
import { type AgentWorld, createAgentWorld, cutAt, placeFile, readTelemetry } from './agent-world.ts'

const RECORDED_CWD = '/home/user/repos/claude'
const SESSION_ID = 'd316bf6e-1230-42d9-b369-dbea58e0878c'
const LAUNCHED = new Date('2026-11-15T01:06:50Z')

const MOMENTS: Record<Moment, string> = {
  working: '01:06:58.000',
  permission: '01:07:01.000',
  finished: '01:07:10.000',
  escape: '01:07:19.000',
  'kill -9': '01:08:00.000',
  'api error': '01:08:41.000',
  exited: '01:08:53.500',
}

/** What the state file says then; the process is this test, which is alive. */
const STATUS: Partial<Record<Moment, { status: string; waitingFor?: string; at: string }>> = {
  working: { status: 'busy', at: '01:06:57.200' },
  permission: { status: 'waiting', waitingFor: 'permission prompt', at: '01:06:59.300' },
  finished: { status: 'idle', at: '01:07:03.150' },
  escape: { status: 'idle', at: '01:07:18.500' },
  'api error': { status: 'idle', at: '01:08:40.400' },
}

const at = (time: string) => new Date(`2026-11-15T${time}Z`)

const files = {
  transcript: ({ home, workspacePath }: AgentWorld) =>
    join(home, '.claude', 'projects', workspacePath.replace(/[^A-Za-z0-9]/g, '-'), `${SESSION_ID}.jsonl`),
  hooks: ({ stateDir }: AgentWorld) => join(stateDir, 'hooks.jsonl'),
  process: ({ home }: AgentWorld, pid: number) => join(home, '.claude', 'sessions', `${pid}.json`),
}

type Source = 'state file' | 'hooks' | 'transcript'

async function stage(world: AgentWorld, moment: Moment, sources: Source[] = ['state file', 'hooks', 'transcript']) {
  const now = at(MOMENTS[moment])
  await createAgent(world).prepare!(world.launch({ prompt: 'go' }))
  nameSession(world)
  const localise = (text: string) => text.replaceAll(RECORDED_CWD, world.workspacePath)
  if (sources.includes('transcript')) {
    placeFile(files.transcript(world), localise(cutAt(readTelemetry('claude-code/transcript.jsonl'), now)), now)
  }
  if (sources.includes('hooks')) {
    placeFile(files.hooks(world), localise(cutAt(readTelemetry('claude-code/hooks.jsonl'), now)), now)
  }
  if (sources.includes('state file')) placeProcessFile(world, moment)
  return now
}

/** The recorded session gets the place of the id that `prepare` chose. */
function nameSession(world: AgentWorld): void {
  const file = join(world.stateDir, 'claude.json')
  const record = JSON.parse(readFileSync(file, 'utf8')) as { sessionId: string }
  writeFileSync(file, JSON.stringify({ ...record, sessionId: SESSION_ID }))
}

function placeProcessFile(world: AgentWorld, moment: Moment): void {
  const recorded = JSON.parse(readTelemetry('claude-code/process.json')) as Record<string, unknown>
  const now = at(MOMENTS[moment])
  if (moment === 'kill -9') {
    // As it was left behind: its pid is no longer that process.
    const stale = { ...recorded, pid: process.pid, cwd: world.workspacePath }
    placeFile(files.process(world, process.pid), JSON.stringify(stale), now)
    return
  }
  const status = STATUS[moment]
  if (!status) return
  const live = {
    ...recorded,
    pid: process.pid,
    procStart: identify(process.pid)!.start,
    cwd: world.workspacePath,
    status: status.status,
    waitingFor: status.waitingFor,
    statusUpdatedAt: at(status.at).getTime(),
  }
  placeFile(files.process(world, process.pid), JSON.stringify(live), now)
}

function createAgent(world: AgentWorld, clock = { now: () => LAUNCHED }): Agent {
  return createClaudeAgent({ context: world.context, prices: {}, clock, isRoot: false })
}

const subject: AgentSubject = {
  plugin,
  program: 'claude',
  // What the suite launches itself comes after everything that was recorded.
  create: (world) => createAgent(world, { now: () => new Date('2026-11-16T00:00:00Z') }),
  stage,
  expected: {
    working: 'active',
    finished: 'ready',
    permission: 'waiting_input',
    escape: 'ready',
    'api error': 'blocked',
    'kill -9': 'exited',
    exited: 'exited',
  },
  files: (world) => [files.transcript(world), files.hooks(world), files.process(world, process.pid)],
  agentSessionId: SESSION_ID,
  prompt: ({ workspacePath }) => ({
    text: `LAB:WRITE ${workspacePath}/perm.txt`,
    at: at('01:06:57.162'),
    stagedBy: 'finished',
  }),
  info: ({ workspacePath }) => ({
    stagedBy: 'finished',
    summary: `LAB:WRITE ${workspacePath}/perm.txt`,
    summaryIsFallback: true,
    agentSessionId: SESSION_ID,
    model: 'claude-opus-5-5',
    // 223 input tokens for $4 and 65 output tokens for $20 the million.
    cost: {
      inputTokens: 223,
      outputTokens: 65,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      estimatedCostUsd: 0.002192,
    },
    lastMessage: 'LAB-DONE WRITE',
  }),
  permissionFlags: {
    skip: ['--dangerously-skip-permissions'],
    'auto-edit': ['--permission-mode', 'acceptEdits'],
    default: [],
    suggest: ['--permission-mode', 'default'],
  },
  resumeWords: ['--resume'],
  instructionsIn: (command) => readFileSync(command[command.indexOf('--append-system-prompt-file') + 1]!, 'utf8'),
  taskIn: (command) => readFileSync(command[command.indexOf('--append-system-prompt-file') + 1]!, 'utf8'),
  screens: [
    ['claude-code/screens/permission.txt', 'waiting_input'],
    ['claude-code/screens/working.txt', 'active'],
    ['claude-code/screens/ready-bypass.txt', 'ready'],
    ['claude-code/screens/escape.txt', 'ready'],
  ],
}

describeAgent('claude-code', subject)

describe('Claude Code in particular', () => {
  let world: AgentWorld
  let agent: Agent

  beforeEach(() => {
    world = createAgentWorld()
    agent = createAgent(world)
  })
  afterEach(async () => {
    expect(await world.temp.cleanup()).toEqual([])
  })

  it('plans first when it is told to, whatever it may do without asking', () => {
    const command = agent.getLaunchCommand(world.launch({ permissions: 'skip', mode: 'plan' }))
    expect(command.join(' ')).toContain('--permission-mode plan')
    expect(command).not.toContain('--dangerously-skip-permissions')
  })

  it('forks a conversation into another directory, under an id of its own and with its task', async () => {
    await stage(world, 'finished', ['transcript'])
    writeFileSync(files.transcript(world), '{"type":"user","mess', { flag: 'a' })
    const workspacePath = join(world.home, 'another')
    mkdirSync(workspacePath)
    const launch = world.launch({ workspacePath, prompt: 'Try something else' })
    expect(await agent.fork!.copy(world.session, world.stateDir, launch)).toBe(SESSION_ID)
    const copy = readFileSync(files.transcript({ ...world, workspacePath }), 'utf8')
    // The line that was being written is left out.
    expect(readFileSync(files.transcript(world), 'utf8')).toBe(`${copy}{"type":"user","mess`)
    const command = agent.fork!.command(launch, SESSION_ID)
    const begins = ['--resume', SESSION_ID, '--fork-session', '--session-id', launch.conversationId]
    expect(command.slice(1, 6)).toEqual(begins)
    expect(command.slice(-2)).toEqual(['--', 'Try something else'])
    // Of a session that said nothing there is nothing to copy.
    const silent = { ...world.session, workspacePath: join(world.home, 'silent') }
    expect(await agent.fork!.copy(silent, join(world.home, 'silent-state'), launch)).toBe(null)
  })

  const state = async (now: Date) => (await agent.getActivityState(world.session, world.options(now)))?.state
  const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

  it.each([
    ['working', 'active', 'active'],
    ['finished', 'ready', 'ready'],
    // The transcript has no word for it; only hooks and the state file do.
    ['permission', 'waiting_input', 'active'],
    // There is no hook for Escape: the prompt is the last thing the hooks know.
    ['escape', 'active', 'ready'],
    ['api error', 'blocked', 'blocked'],
  ] as const)(
    'S0.52 reads %s as %s from hooks alone and as %s from the transcript alone',
    async (moment, hooks, text) => {
      expect(await state(await stage(world, moment, ['hooks']))).toBe(hooks)
      rmSync(files.hooks(world))
      expect(await state(await stage(world, moment, ['transcript']))).toBe(text)
    },
  )

  it('believes an event that is newer than the state file', async () => {
    const now = await stage(world, 'permission')
    const file = files.process(world, process.pid)
    writeFileSync(
      file,
      JSON.stringify({ ...readJson(file), status: 'busy', statusUpdatedAt: at('01:06:58').getTime() }),
    )
    expect(await state(now)).toBe('waiting_input')
  })

  it('S0.36 S0.47 takes a question to the user for waiting', async () => {
    const now = await stage(world, 'working', ['hooks'])
    const line = {
      at: '2026-11-15T01:06:58.000Z',
      agent: 'claude-code',
      event: 'PreToolUse',
      payload: { tool_name: 'AskUserQuestion' },
    }
    writeFileSync(files.hooks(world), `${JSON.stringify(line)}\n`, { flag: 'a' })
    expect(await state(now)).toBe('waiting_input')
  })

  it('follows Claude to the new session that /clear starts', async () => {
    await stage(world, 'finished')
    const cleared = '11111111-2222-4333-8444-555555555555'
    const payload = { session_id: cleared, source: 'clear' }
    const line = { at: '2026-11-15T01:08:00.000Z', agent: 'claude-code', event: 'SessionStart', payload }
    writeFileSync(files.hooks(world), `${JSON.stringify(line)}\n`, { flag: 'a' })
    const transcript = files.transcript(world).replace(SESSION_ID, cleared)
    const prompt = { type: 'user', timestamp: '2026-11-15T01:08:01.000Z', message: { role: 'user', content: 'anew' } }
    placeFile(transcript, `${JSON.stringify({ ...prompt, cwd: world.workspacePath })}\n`, at('01:08:01'))
    const info = await agent.getSessionInfo(world.session, world.options(at('01:08:02')))
    expect(info).toMatchObject({ agentSessionId: cleared, summary: 'anew', cost: { inputTokens: 223 } })
    expect(await agent.getRestoreCommand!(world.session, world.launch())).toContain(cleared)
  })

  it('sees a message that waits in the queue of a busy agent', async () => {
    const now = await stage(world, 'kill -9', ['transcript'])
    expect(await agent.hasSeen!(world.session, 'LAB:ERR400', at('01:07:44'), world.options(now))).toBe(true)
    // A short text is not found inside another one by chance.
    expect(await agent.hasSeen!(world.session, 'LAB', at('01:07:44'), world.options(now))).toBe(false)
  })

  it("has not seen what a hook of the user's refused, although its own hook was called with it", async () => {
    const now = await stage(world, 'finished')
    const content =
      'UserPromptSubmit operation blocked by hook:\n[no-secrets.sh]: no keys here\n\n\nOriginal prompt: Message: /deploy the key'
    const record = { type: 'system', subtype: 'informational', content, timestamp: now.toISOString() }
    const ending = { kind: 'blocked_by_hook', reason: '[no-secrets.sh]: no keys here' }
    const line = JSON.stringify({ ...record, promptSubmitEnding: { ending, promptKept: false } })
    writeFileSync(files.transcript(world), `${line}\n`, { flag: 'a' })
    const payload = { prompt: 'Message: /deploy the key' }
    const hook = { at: now.toISOString(), agent: 'claude-code', event: 'UserPromptSubmit', payload }
    writeFileSync(files.hooks(world), `${JSON.stringify(hook)}\n`, { flag: 'a' })
    const seen = (text: string) => agent.hasSeen!(world.session, text, now, world.options(now))
    expect(await seen('/deploy the key')).toBe('refused')
    expect(await seen('no keys here')).toBe(false)
  })

  it('fixes the session id at launch, and remembers the ids of earlier launches', async () => {
    const [first, second] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
    const launch = world.launch({ prompt: 'go', conversationId: first! })
    const command = agent.getLaunchCommand(launch)
    expect(command[command.indexOf('--session-id') + 1]).toBe(first)
    await agent.prepare!(launch)
    expect(readJson(join(world.stateDir, 'claude.json'))).toMatchObject({ sessionId: first, earlier: [] })
    await agent.prepare!({ ...launch, conversationId: second! })
    expect(readJson(join(world.stateDir, 'claude.json'))).toMatchObject({ sessionId: second, earlier: [first] })
    await agent.prepare!({ ...launch, isResume: true })
    expect(readJson(join(world.stateDir, 'claude.json'))).toMatchObject({ sessionId: second })
  })

  it('S1.66 S1.67 S1.90 reports through hooks in a settings file outside the worktree', async () => {
    await agent.prepare!(world.launch({ permissions: 'skip' }))
    const command = agent.getLaunchCommand(world.launch({ permissions: 'skip' }))
    const settings = readJson(command[command.indexOf('--settings') + 1]!)
    expect(agent.readsAoDirectory).toBe(false)
    expect(settings.permissions.disableAutoMode).toBe('disable')
    expect(settings.skipDangerousModePermissionPrompt).toBe(true)
    expect(settings.hooks.PostToolUse).toEqual([
      {
        matcher: '*',
        hooks: [{ type: 'command', command: `'/opt/ao bin/it'\\''s/ao-hook' 'agent-name' 'PostToolUse'`, timeout: 10 }],
      },
    ])
    const mcp = readJson(command[command.indexOf('--mcp-config') + 1]!)
    expect(mcp.mcpServers.ao).toEqual({ type: 'stdio', command: '/opt/ao/node', args: ['/opt/ao/ao.js', 'mcp'] })
  })

  it('declares a sandbox to Claude for root without permissions, and only then', () => {
    const asRoot = createClaudeAgent({ context: world.context, prices: {}, isRoot: true })
    expect(asRoot.getEnvironment(world.launch({ permissions: 'skip' }))).toMatchObject({ IS_SANDBOX: '1' })
    expect(asRoot.getEnvironment(world.launch())).not.toHaveProperty('IS_SANDBOX')
    expect(agent.getEnvironment(world.launch({ permissions: 'skip' }))).not.toHaveProperty('IS_SANDBOX')
  })

  it('does not use the transcript of another directory with the same name in Claude', async () => {
    const now = await stage(world, 'finished', ['transcript'])
    rmSync(join(world.stateDir, 'claude.json'))
    const other = { ...world.session, workspacePath: world.workspacePath.replace('work_trees', 'work.trees') }
    expect(await agent.getActivityState(other, world.options(now))).toBeNull()
    expect(await agent.getSessionInfo(world.session, world.options(now))).toMatchObject({ agentSessionId: SESSION_ID })
  })

  it('S0.77 also looks where older documents place the session', async () => {
    mkdirSync(join(world.workspacePath, '.claude', 'sessions', 'older-hash-1'), { recursive: true })
    mkdirSync(join(world.workspacePath, '.claude', 'sessions', '--not-a-flag'), { recursive: true })
    const newer = join(world.workspacePath, '.claude', 'sessions', 'newer-hash-2.json')
    writeFileSync(newer, '{}')
    utimesSync(newer, new Date('2099-01-01'), new Date('2099-01-01'))
    const command = await agent.getRestoreCommand!(world.session, world.launch())
    expect(command?.slice(0, 3)).toEqual(['claude', '--resume', 'newer-hash-2'])
  })

  it('names the files whose change means news', async () => {
    await stage(world, 'finished')
    const paths = await agent.watchPaths!(world.session, world.options(at('01:07:10')))
    expect(paths).toEqual([files.hooks(world), join(world.home, '.claude', 'sessions'), files.transcript(world)])
  })
})
