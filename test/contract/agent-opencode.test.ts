// OpenCode's plugin against a real SQLite database with real records.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import type { Session } from '../../src/contract/session.ts'
import { silentLog } from '../../src/lib/log.ts'
import { lastAsking } from '../../src/plugins/agent-opencode/activity.ts'
import { plugin } from '../../src/plugins/agent-opencode/index.ts'
import type { Agent, AgentLaunch, ReadOptions } from '../../src/slots/agent.ts'
import { sampleSession } from '../support/sample-session.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { describeAgentBasics } from './agent-basics.ts'
import { createOpencodeDatabase, type OpencodeDatabase } from './opencode-database.ts'

const SAMPLES = join(import.meta.dirname, '..', 'fixtures', 'telemetry', 'opencode')
const MAIN = 'ses_e233bcc94ffeChBTma4dpztGQH'
const MAIN_STARTED = 1794705208171

describeAgentBasics('opencode', {
  plugin,
  program: 'opencode',
  promptIn: (command) => command.find((one) => one.startsWith('--prompt='))?.slice(9),
  files: ({ home }) => {
    const data = join(home, '.local', 'share', 'opencode')
    return [join(data, 'opencode.db'), join(data, 'opencode.db-wal'), join(data, 'log', 'opencode.log')]
  },
})

let temp: TempHome
let agent: Agent
let workspace: string
let dataDir: string
let stateDir: string
let database: OpencodeDatabase

beforeEach(() => {
  temp = createTempHome()
  workspace = join(temp.home, 'work')
  stateDir = join(temp.home, 'state')
  dataDir = join(temp.home, '.local', 'share', 'opencode')
  mkdirSync(workspace)
  database = createOpencodeDatabase(dataDir, workspace)
  agent = plugin.create({}, context())
})

afterEach(async () => {
  database.close()
  expect(await temp.cleanup()).toEqual([])
})

function context() {
  return { home: temp.home, env: temp.env, log: silentLog, configDir: temp.home, dataDir: join(temp.home, 'data') }
}

function session(overrides: Partial<Session> = {}): Session {
  return sampleSession({ workspacePath: workspace, createdAt: new Date(MAIN_STARTED), metadata: {}, ...overrides })
}

const read = (now: number): ReadOptions => ({ stateDir, readyThresholdMs: 300_000, now: new Date(now) })

/** Everything after this moment has not happened yet. */
async function activityAt(time: number, now = time + 1000) {
  database.forgetAfter(time)
  return agent.getActivityState(session(), read(now))
}

function launch(overrides: Partial<AgentLaunch> = {}): AgentLaunch {
  return {
    sessionId: 'app-1',
    project: { id: 'app' } as ProjectConfig,
    workspacePath: workspace,
    permissions: 'default',
    config: {},
    role: 'worker',
    conversationId: '00000000-0000-4000-8000-000000000001',
    stateDir,
    mcpCommand: ['ao', 'mcp'],
    hookCommand: ['ao-hook', 'opencode'],
    ...overrides,
  }
}

describe('the activity of OpenCode, from its database (S0.50)', () => {
  it('S0.44 is active while a message to it is newest', async () => {
    const reading = await activityAt(1794705208313)
    expect(reading).toMatchObject({ state: 'active', timestamp: new Date(1794705208313) })
  })

  it('S0.45 S0.46 is ready when its turn ended, and idle beyond the threshold', async () => {
    const ended = 1794705227804
    expect(await activityAt(1794705227700)).toMatchObject({ state: 'ready', timestamp: new Date(ended) })
    expect(await agent.getActivityState(session(), read(ended + 300_001))).toMatchObject({ state: 'idle' })
  })

  it('is ready after Escape', async () => {
    expect(await activityAt(1794705233000)).toMatchObject({ state: 'ready' })
  })

  it.each([
    ['was interrupted', { name: 'MessageAbortedError' }, 1794800005000, 'ready'],
    ['failed', { name: 'APIError', data: { message: 'Overloaded' } }, 1794800005000, 'blocked'],
    ['ended before it', { name: 'MessageAbortedError' }, 1794800002000, 'active'],
    ['continues', undefined, undefined, 'active'],
  ])('with a message that came during a turn which %s', async (_what, error, completed, state) => {
    database.addSession({ id: 'ses_q', time_created: 1794800000000, time_updated: 1794800000000 })
    message('ses_q', 'msg_1', 1794800000100, { role: 'assistant', error, time: { completed } })
    message('ses_q', 'msg_2', 1794800003000, { role: 'user' })
    expect(await agent.getActivityState(session(), read(1794800006000))).toMatchObject({ state })
  })

  it('S0.48 is blocked after an API error, however long ago', async () => {
    const reading = await activityAt(1794705246000, 1794705246000 + 3_600_000)
    expect(reading).toMatchObject({ state: 'blocked' })
    expect(reading?.evidence).toContain('invalid x-api-key')
  })

  it('is active between two steps', async () => {
    database.forgetAfter(1794705226900)
    expect(await agent.getActivityState(session(), read(1794705226999))).toMatchObject({ state: 'active' })
  })

  it.each([
    ['stop', undefined, 'ready'],
    ['length', undefined, 'ready'],
    // It may still become an error.
    ['content-filter', undefined, 'active'],
    ['tool-calls', undefined, 'active'],
    // It asks the model once more.
    ['unknown', 1794800003000, 'active'],
    [undefined, undefined, 'active'],
    [undefined, 1794800003000, 'ready'],
  ])('with the reason %s and the completion %s is %s', async (finish, completed, state) => {
    database.addSession({ id: 'ses_f', time_created: 1794800000000, time_updated: 1794800000000 })
    message('ses_f', 'msg_f', 1794800000100, { role: 'assistant', finish, time: { completed } })
    expect(await agent.getActivityState(session(), read(1794800004000))).toMatchObject({ state })
  })

  it('is active when its answer ends with a tool, whatever reason is given', async () => {
    database.addSession({ id: 'ses_f', time_created: 1794800000000, time_updated: 1794800000000 })
    message('ses_f', 'msg_f', 1794800000100, { role: 'assistant', finish: 'stop', time: {} })
    part('ses_f', 'msg_f', 1794800000200, { type: 'tool', tool: 'write', state: { status: 'running' } })
    expect(await agent.getActivityState(session(), read(1794800004000))).toMatchObject({ state: 'active' })
  })

  function refuse(completed?: number): void {
    const error = 'The user rejected permission to use this specific tool call.'
    database.addSession({ id: 'ses_r', time_created: 1794800000000, time_updated: 1794800000000 })
    message('ses_r', 'msg_r', 1794800000100, { role: 'assistant', finish: 'tool-calls', time: { completed } })
    part('ses_r', 'msg_r', 1794800000200, { type: 'tool', tool: 'write', state: { status: 'error', error } })
  }

  it('is ready when a permission was refused', async () => {
    refuse(1794800003000)
    expect(await agent.getActivityState(session(), read(1794800004000))).toMatchObject({ state: 'ready' })
  })

  it('takes no message while a refusal ends its turn: it would stay unanswered', async () => {
    refuse()
    const reading = await agent.getActivityState(session(), read(1794800002000))
    expect(reading).toMatchObject({ state: 'active', isEnding: true })
  })

  it('is ready when a message came while a refusal ended its turn', async () => {
    refuse(1794800003000)
    message('ses_r', 'msg_s', 1794800002500, { role: 'user' })
    const reading = await agent.getActivityState(session(), read(1794800004000))
    expect(reading).toMatchObject({ state: 'ready' })
    expect(reading?.isEnding).toBeUndefined()
  })

  it('S0.51 answers after kill -9 from the record that was never completed', async () => {
    expect(await activityAt(1794705263300)).toMatchObject({ state: 'active' })
    expect(await agent.getActivityState(session(), read(1794705263300 + 600_000))).toMatchObject({ state: 'idle' })
  })
})

describe('a question of OpenCode', () => {
  const ID = 'ses_e22c480cbffey8FB9MEeGNnMv2'
  const ASKED = Date.parse('2026-11-15T03:24:25.582Z')

  beforeEach(() => {
    mkdirSync(join(dataDir, 'log'))
    writeFileSync(join(dataDir, 'log', 'opencode.log'), readFileSync(join(SAMPLES, 'log.txt')))
    database.addSession({ id: ID, time_created: ASKED - 40_000, time_updated: ASKED - 400 })
    message(ID, 'msg_2', ASKED - 336, { role: 'assistant', time: { created: ASKED - 336 } })
  })

  const running = (updatedAt: number, tool = 'bash', state: object = {}) =>
    part(ID, 'msg_2', ASKED - 148, { type: 'tool', tool, state: { status: 'running', ...state } }, updatedAt)

  it('S0.36 S0.47 is known from its log when the tool has not changed since it was asked about', async () => {
    running(ASKED - 128)
    const reading = await agent.getActivityState(session(), read(ASKED + 3_600_000))
    expect(reading).toMatchObject({ state: 'waiting_input', timestamp: new Date(ASKED) })
    expect(reading?.evidence).toContain('permission (bash)')
  })

  it('is known also when the part of the tool is written a moment after the log', async () => {
    running(ASKED + 107)
    expect(await agent.getActivityState(session(), read(ASKED + 60_000))).toMatchObject({ state: 'waiting_input' })
  })

  it('is over when the tool runs', async () => {
    running(ASKED + 3_725)
    expect(await agent.getActivityState(session(), read(ASKED + 4_000))).toMatchObject({ state: 'active' })
  })

  it('is over when OpenCode answers itself, as it does without questions', async () => {
    running(ASKED + 518, 'bash', { metadata: { output: '' } })
    expect(await agent.getActivityState(session(), read(ASKED + 4_000))).toMatchObject({ state: 'active' })
  })

  it('of a subagent counts too', async () => {
    running(ASKED - 128, 'task')
    database.addSession({ id: 'ses_child', parent_id: ID, time_created: ASKED - 100, time_updated: ASKED })
    message('ses_child', 'msg_3', ASKED - 90, { role: 'assistant', time: {} })
    part('ses_child', 'msg_3', ASKED - 80, { type: 'tool', tool: 'edit', state: { status: 'running' } })
    expect(await agent.getActivityState(session(), read(ASKED + 1_000))).toMatchObject({ state: 'waiting_input' })
  })

  it('of another process is not ours', async () => {
    running(ASKED - 128)
    const other = readFileSync(join(SAMPLES, 'log.txt'), 'utf8').replaceAll(
      'run=a4d796dc message=asking',
      'run=ffffffff message=asking',
    )
    writeFileSync(join(dataDir, 'log', 'opencode.log'), other)
    expect(await agent.getActivityState(session(), read(ASKED + 1_000))).toMatchObject({ state: 'active' })
  })

  it('by the question tool needs no log', async () => {
    writeFileSync(join(dataDir, 'log', 'opencode.log'), '')
    running(ASKED, 'question')
    expect(await agent.getActivityState(session(), read(ASKED + 1_000))).toMatchObject({ state: 'waiting_input' })
  })

  it('is found while other processes fill the log', () => {
    const log = readFileSync(join(SAMPLES, 'log.txt'), 'utf8')
    expect(lastAsking(log, ID)).toEqual({ at: ASKED, permission: 'bash' })
    expect(lastAsking(log, 'ses_unknown')).toBeNull()
    expect(lastAsking('garbage\n\0\n', ID)).toBeNull()
  })
})

describe('which session is ours', () => {
  it('is the newest one in the directory since the ao session exists, never an older one', async () => {
    const info = await agent.getSessionInfo(session(), read(MAIN_STARTED))
    expect(info?.agentSessionId).toBe('ses_e2324dcffffez4AmE5cCSkBJcF')
    database.forgetAfter(1794705600000)
    expect((await agent.getSessionInfo(session(), read(0)))?.agentSessionId).toBe(MAIN)
    const later = session({ createdAt: new Date(MAIN_STARTED + 60_000) })
    expect(await agent.getSessionInfo(later, read(0))).toBeNull()
  })

  it('S1.42 is the one that ao has written down when the directory has none', async () => {
    expect(agent.sessionIdKey).toBe('opencodeSessionId')
    const elsewhere = session({ workspacePath: join(temp.home, 'gone'), metadata: { opencodeSessionId: MAIN } })
    expect((await agent.getSessionInfo(elsewhere, read(0)))?.agentSessionId).toBe(MAIN)
  })

  it('S0.75 S0.81 is resumed by its id; without one there is nothing to resume', async () => {
    database.forgetAfter(1794705600000)
    expect(await agent.getRestoreCommand?.(session(), launch())).toEqual(['opencode', '--session', MAIN])
    const fresh = session({ createdAt: new Date('2030-01-01') })
    expect(await agent.getRestoreCommand?.(fresh, launch())).toBeNull()
  })

  it('is not resumed by an id that the command would take for an option', async () => {
    database.forgetAfter(1794705600000)
    database.run(`UPDATE session SET id = '--yolo' WHERE id = '${MAIN}'`)
    expect(await agent.getRestoreCommand?.(session(), launch())).toBeNull()
    const recorded = session({ workspacePath: join(temp.home, 'gone'), metadata: { opencodeSessionId: '--yolo' } })
    expect(await agent.getRestoreCommand?.(recorded, launch())).toBeNull()
  })

  it('follows XDG_DATA_HOME as it was at the launch', async () => {
    const moved = plugin.create({}, { ...context(), home: join(temp.home, 'other') })
    expect(await moved.getSessionInfo(session(), read(0))).toBeNull()
    await moved.prepare?.(launch({ config: { env: { XDG_DATA_HOME: join(temp.home, '.local', 'share') } } }))
    expect(await moved.getSessionInfo(session(), read(0))).not.toBeNull()
  })
})

describe('after a launch', () => {
  it('old records of a resumed session mean that it waits, and say nothing about a fresh one', async () => {
    database.forgetAfter(1794705263300)
    await agent.prepare?.(launch({ isResume: true }))
    expect(await agent.getActivityState(session(), read(Date.now()))).toMatchObject({ state: 'ready' })
    await agent.prepare?.(launch())
    expect(await agent.getActivityState(session(), read(Date.now()))).toBeNull()
  })
})

describe('what OpenCode knows about itself', () => {
  it('S2.50 reports title, model, tokens and cost with its subagents', async () => {
    database.forgetAfter(1794705600000)
    database.addSession({
      id: 'ses_child',
      parent_id: MAIN,
      time_created: MAIN_STARTED + 10,
      time_updated: MAIN_STARTED + 10,
      tokens_input: 5,
      tokens_reasoning: 2,
      model: '{"id":"mock-model","providerID":"mock"}',
    })
    expect(await agent.getSessionInfo(session(), read(0))).toMatchObject({
      summary: 'ok',
      model: 'mock/mock-model',
      lastMessage: 'LAB-DONE BASH',
      cost: { inputTokens: 820, outputTokens: 267, estimatedCostUsd: null },
    })
  })

  it('believes its own cost, and shows the first prompt as long as no model has named the session', async () => {
    const at = 1794900000000
    database.addSession({
      id: 'ses_p',
      title: 'New session - 2026-11-15T03:23:46.357Z',
      time_created: at,
      time_updated: at,
      cost: 0.25,
      tokens_input: 10,
    })
    message('ses_p', 'msg_p', at + 1, { role: 'user', time: {} })
    part('ses_p', 'msg_p', at + 2, { type: 'text', text: 'Fix the login\nplease' })
    expect(await agent.getSessionInfo(session(), read(0))).toMatchObject({
      summary: 'Fix the login',
      summaryIsFallback: true,
      cost: { inputTokens: 10, estimatedCostUsd: 0.25 },
    })
  })

  it('has seen a message as soon as it is in the database, even while it is busy', async () => {
    database.forgetAfter(1794705600000)
    const seen = (text: string, since: number) => agent.hasSeen!(session(), text, new Date(since), read(0))
    expect(await seen('LAB:ERR401', 1794705244000)).toBe(true)
    expect(await seen('LAB:ERR401', 1794705245000)).toBe(false)
    expect(await seen('LAB:ERR', 1794705244000)).toBe(false)
  })
})

describe('the launch of OpenCode', () => {
  it('hands over prompt, model, agent and further arguments', () => {
    const command = agent.getLaunchCommand(
      launch({
        prompt: '-x $(rm)\n"two"',
        model: 'a/b',
        config: { agent: 'plan', args: ['--print-logs'], command: '/opt/oc' },
      }),
    )
    expect(command).toEqual([
      '/opt/oc',
      '--model',
      'a/b',
      '--agent',
      'plan',
      '--print-logs',
      '--prompt=-x $(rm)\n"two"',
    ])
  })

  it.each([
    ['skip', ['--auto'], undefined],
    ['auto-edit', [], '{"edit":"allow"}'],
    ['default', [], undefined],
    ['suggest', [], '{"edit":"ask","bash":"ask","webfetch":"ask"}'],
  ] as const)('permissions %s', (permissions, flags, environment) => {
    expect(agent.getLaunchCommand(launch({ permissions })).slice(1)).toEqual(flags)
    expect(agent.getEnvironment(launch({ permissions })).OPENCODE_PERMISSION).toBe(environment)
  })

  it('passes instructions and the MCP server in a file outside the workspace', async () => {
    await agent.prepare?.(launch({ systemPromptFile: '/x/system.md' }))
    const file = agent.getEnvironment(launch()).OPENCODE_CONFIG!
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      instructions: [join(workspace, '.ao', 'AGENTS.md'), '/x/system.md'],
      mcp: { ao: { type: 'local', command: ['ao', 'mcp'], enabled: true } },
    })
  })

  it('keeps a configuration file that the user named in effect', () => {
    const own = plugin.create({}, { ...context(), env: { ...temp.env, OPENCODE_CONFIG: '/mine.json' } })
    const environment = own.getEnvironment(launch())
    expect(environment.OPENCODE_CONFIG).toBeUndefined()
    expect(JSON.parse(environment.OPENCODE_CONFIG_CONTENT!)).toHaveProperty('mcp.ao')
  })

  it('hands a task that is too long for an argument over as an instruction', async () => {
    const prompt = 'x'.repeat(200_000)
    await agent.prepare?.(launch({ prompt }))
    const config = JSON.parse(readFileSync(join(stateDir, 'opencode.json'), 'utf8'))
    expect(readFileSync(config.instructions.at(-1), 'utf8')).toBe(prompt)
    expect(agent.getLaunchCommand(launch({ prompt })).join(' ').length).toBeLessThan(1000)
  })
})

describe('S1.68 the activity log of OpenCode', () => {
  it('is written from the screen and read when the database says nothing', async () => {
    expect(agent.activitySource).toBe('screen')
    const fresh = session({ createdAt: new Date('2030-01-01') })
    const now = new Date()
    await agent.recordActivity?.(fresh, screen('permission'), now)
    expect(readFileSync(join(workspace, '.ao', 'activity.jsonl'), 'utf8')).toContain('"waiting_input"')
    const options = (later: number) => ({ ...read(0), now: new Date(now.getTime() + later) })
    expect(await agent.getActivityState(fresh, options(1_000))).toMatchObject({ state: 'waiting_input' })
    // Nothing has observed it since: the manager reads the screen itself.
    expect(await agent.getActivityState(fresh, options(600_000))).toBeNull()
  })

  it('ages by the last change of the screen, not by its last reading', async () => {
    const fresh = session({ createdAt: new Date('2030-01-01') })
    for (const seconds of [0, 30, 400]) {
      await agent.recordActivity?.(fresh, screen('ready'), new Date(1_800_000_000_000 + seconds * 1000))
    }
    expect(await agent.getActivityState(fresh, read(1_800_000_401_000))).toMatchObject({
      state: 'idle',
      timestamp: new Date(1_800_000_000_000),
    })
  })

  it.each([
    ['working', 'active'],
    ['ready', 'ready'],
    ['permission', 'waiting_input'],
    ['error', 'ready'],
    ['rejected', 'ready'],
  ])('S0.53 reads the screen %s as %s', (name, state) => {
    expect(agent.detectActivity(screen(name))).toBe(state)
  })

  it('says nothing about a screen it does not know', () => {
    expect(agent.detectActivity('')).toBeNull()
    expect(agent.detectActivity('$ ls\nfile')).toBeNull()
  })
})

describe('a database that cannot be read', () => {
  const everything = async () => [
    await agent.getActivityState(session(), read(0)),
    await agent.getSessionInfo(session(), read(0)),
    await agent.hasSeen!(session(), 'x', new Date(0), read(0)),
    await agent.getRestoreCommand!(session(), launch()),
  ]
  const NOTHING = [null, null, false, null]

  it('is missing', async () => {
    const none = plugin.create({}, { ...context(), home: join(temp.home, 'nobody') })
    agent = none
    expect(await everything()).toEqual(NOTHING)
  })

  it('is damaged', async () => {
    database.close()
    writeFileSync(database.path, 'SQLite format 3\0 and then garbage')
    expect(await everything()).toEqual(NOTHING)
  })

  it('has another layout', async () => {
    database.run('ALTER TABLE session RENAME TO sessions2')
    expect(await everything()).toEqual(NOTHING)
  })

  it('is locked: it does not wait, and does not disturb the writer', async () => {
    database.run('PRAGMA journal_mode = DELETE')
    database.run('BEGIN EXCLUSIVE')
    const started = performance.now()
    expect(await everything()).toEqual(NOTHING)
    expect(performance.now() - started).toBeLessThan(5_000)
    database.run("INSERT INTO migration VALUES ('x', 1)")
    database.run('COMMIT')
  })

  it('holds records that are not valid JSON: the others still count', async () => {
    database.forgetAfter(1794705227700)
    message(MAIN, 'msg_zz', 1794705227750, '{"role":"assist')
    expect(await agent.getActivityState(session(), read(1794705228000))).toMatchObject({ state: 'ready' })
  })

  it('stays fast with many records', async () => {
    database.forgetAfter(1794705600000)
    database.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO message SELECT 'msg_m' || i, '${MAIN}', 1794705500000 + i, 0, '{"role":"user"}' FROM n`)
    const started = performance.now()
    await everything()
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

function message(sessionId: string, id: string, at: number, data: unknown): void {
  database.addMessage({ id, session_id: sessionId, time_created: at, time_updated: at, data })
}

function part(sessionId: string, messageId: string, at: number, data: unknown, updatedAt = at): void {
  const id = `prt_${messageId}_${at}`
  database.addPart({
    id,
    message_id: messageId,
    session_id: sessionId,
    time_created: at,
    time_updated: updatedAt,
    data,
  })
}

function screen(name: string): string {
  return readFileSync(join(SAMPLES, 'screens', `${name}.txt`), 'utf8')
}

it('lists what was said in a directory before ao, and continues that session', async () => {
  const found = await agent.listConversations!(['/elsewhere', workspace])
  expect(found.map(({ id }) => id)).toContain(MAIN)
  expect(new Set(found.map(({ directory }) => directory))).toEqual(new Set([workspace]))
  const adopted = session({ createdAt: new Date(), metadata: { conversation: MAIN, opencodeSessionId: MAIN } })
  expect(await agent.getRestoreCommand?.(adopted, launch())).toEqual(['opencode', '--session', MAIN])
})
