// Gemini CLI 0.61.0, from a recording of one session.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createGeminiAgent, plugin } from '../../src/plugins/agent-gemini/index.ts'
import type { Agent } from '../../src/slots/agent.ts'
import { describeAgentBasics } from './agent-basics.ts'
import { type AgentWorld, cutAt, placeFile, readTelemetry } from './agent-world.ts'
import { shareWorld } from './shared-world.ts'

const RECORDED_CWD = '/home/user/repos/gemini'
const SESSION_ID = '5cfb8e1e-7c41-48fe-9ff6-fb037369de96'
const LAUNCHED = new Date('2026-11-15T01:15:40Z')
const RESTARTED = new Date('2026-11-16T00:00:00Z')

const at = (time: string) => new Date(`2026-11-15T${time}Z`)
const chatsOf = ({ home }: AgentWorld) => join(home, '.gemini', 'tmp', 'app-v2-1', 'chats')
const chatFile = (world: AgentWorld) => join(chatsOf(world), 'session-2026-11-15T01-15-5cfb8e1e.jsonl')
const projectsFile = ({ home }: AgentWorld) => join(home, '.gemini', 'projects.json')

describeAgentBasics('gemini', {
  plugin,
  program: 'gemini',
  promptIn: (command) => command.find((one) => one.startsWith('--prompt-interactive='))?.slice(21),
  files: (world) => [projectsFile(world), chatFile(world)],
})

const currentWorld = shareWorld()
let world: AgentWorld
let agent: Agent

beforeEach(() => {
  world = currentWorld()
  agent = createGeminiAgent({ context: world.context, prices: {}, clock: { now: () => LAUNCHED } })
})

/** The chat as it was at a moment of the recording. */
async function stage(time: string, options: { launched?: boolean } = {}): Promise<Date> {
  const now = at(time)
  if (options.launched ?? true) await agent.prepare!(world.launch({ prompt: 'go' }))
  placeFile(projectsFile(world), JSON.stringify({ projects: { [world.workspacePath]: 'app-v2-1' } }), now)
  const chat = readTelemetry('gemini/session.jsonl').replaceAll(RECORDED_CWD, world.workspacePath)
  placeFile(chatFile(world), withoutLaterTools(cutAt(chat, now), now), now)
  return now
}

/** An answer is written again, under its old time, when its tools are through. */
function withoutLaterTools(chat: string, now: Date): string {
  const isLater = (line: string) => {
    const tools = (JSON.parse(line) as { toolCalls?: Array<{ timestamp: string }> }).toolCalls ?? []
    return tools.some(({ timestamp }) => new Date(timestamp) > now)
  }
  return chat.replace(/.+\n/g, (line) => (isLater(line) ? '' : line))
}

const state = (now: Date) => agent.getActivityState(world.session, world.options(now))

describe('the activity of Gemini, from its chat (S0.50 S0.51)', () => {
  it.each([
    ['a message to it is newest', '01:15:46.100', 'active'],
    ['a tool has not answered', '01:15:50.000', 'active'],
    ['its answer is complete', '01:15:56.000', 'ready'],
    ['it was asked again', '01:15:59.000', 'active'],
    ['it detected a loop and stopped', '01:16:02.000', 'ready'],
    ['the API refused', '01:16:05.000', 'blocked'],
    ['the turn was cancelled by Escape', '01:16:31.000', 'ready'],
    ['it was killed in the middle', '01:20:00.000', 'active'],
  ])('%s: %s', async (_what, time, expected) => {
    const reading = await state(await stage(time))
    expect(reading?.state).toBe(expected)
    expect(reading?.evidence).toMatch(/^gemini: /)
  })

  it('S0.46 turns to idle beyond the threshold, and S0.48 stays blocked', async () => {
    await stage('01:15:56.000')
    expect((await state(at('01:20:54.000')))?.state).toBe('ready')
    expect((await state(at('01:20:56.000')))?.state).toBe('idle')
    await stage('01:16:05.000')
    expect((await state(at('09:00:00.000')))?.state).toBe('blocked')
  })

  it('S0.47 leaves a tool without an answer to the screen as long as there may be one', async () => {
    const now = await stage('01:15:50.000')
    const running = { ...world.session, runtimeHandle: { id: 'x', runtimeName: 'tmux' } }
    const options = world.options(now)
    expect(await agent.getActivityState(running, options)).toMatchObject({ state: 'active', watchScreen: true })
    await agent.recordActivity!(running, readTelemetry('gemini/screens/permission.txt'), now)
    expect(await agent.getActivityState(running, options)).toMatchObject({ state: 'waiting_input' })
    // What was seen before the newest record is old.
    await stage('01:15:56.000')
    expect(await agent.getActivityState(running, world.options(at('01:15:56.500')))).toMatchObject({ state: 'ready' })
    await stage('01:15:50.000')
    expect(await agent.getActivityState(running, world.options(at('01:30:00.000')))).toMatchObject({ state: 'idle' })
  })

  it('says that a resumed chat waits, and nothing about a chat before a fresh start', async () => {
    await stage('01:20:00.000')
    const again = createGeminiAgent({ context: world.context, prices: {}, clock: { now: () => RESTARTED } })
    await again.prepare!(world.launch({ isResume: true }))
    expect(await state(new Date(RESTARTED.getTime() + 1000))).toMatchObject({ state: 'ready', timestamp: RESTARTED })
    await again.prepare!(world.launch({ prompt: 'again' }))
    expect(await state(new Date(RESTARTED.getTime() + 1000))).toBeNull()
  })
})

describe('what Gemini knows about the session', () => {
  it('S2.50 reports first prompt, model, tokens and cost, each answer once', async () => {
    const now = await stage('01:15:56.000')
    const expected = {
      summary: `LAB:WRITE ${world.workspacePath}/perm.txt`,
      summaryIsFallback: true,
      agentSessionId: SESSION_ID,
      model: 'gemini-2.5-flash',
      lastMessage: 'LAB-DONE WRITE',
      cost: {
        inputTokens: 223,
        outputTokens: 65,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        estimatedCostUsd: expect.closeTo((223 * 0.3 + 65 * 2.5) / 1e6, 12),
      },
    }
    expect(await agent.getSessionInfo(world.session, world.options(now))).toEqual(expected)
    expect(await agent.getSessionInfo(world.session, world.options(now))).toEqual(expected)
  })

  it('confirms a message by its chat, from the moment it was entered', async () => {
    const now = await stage('01:16:05.000')
    const seen = (text: string, since: string) => agent.hasSeen!(world.session, text, at(since), world.options(now))
    expect(await seen('LAB:ERR401', '01:16:03.000')).toBe(true)
    expect(await seen('LAB:ERR401', '01:16:05.000')).toBe(false)
    expect(await seen('LAB:ERR', '01:16:03.000')).toBe(false)
    expect(await seen('<session_context>', '01:15:00.000')).toBe(false)
  })
})

describe('the restore of Gemini', () => {
  const waits: number[] = []
  const restore = (now: string, overrides = {}) => {
    waits.length = 0
    const wait = async (ms: number) => void waits.push(ms)
    const parts = { context: world.context, prices: {}, clock: { now: () => at(now) }, wait }
    return createGeminiAgent(parts).getRestoreCommand!(world.session, world.launch(overrides), (line) =>
      progress.push(line),
    )
  }
  const progress: string[] = []

  it('S0.75 resumes by the id of the chat with the same flags', async () => {
    await stage('01:16:05.000')
    expect(await restore('01:18:00.000', { permissions: 'auto-edit', model: 'm' })).toEqual([
      'gemini',
      '--resume',
      SESSION_ID,
      '--approval-mode',
      'auto_edit',
      '--model',
      'm',
    ])
  })

  it('resumes nothing by an id that the command would take for an option', async () => {
    await stage('01:16:05.000')
    const chat = readFileSync(chatFile(world), 'utf8')
    for (const id of ['--yolo', '-y', '', ' --yolo', 'a b', 'a'.repeat(300), `${SESSION_ID}\n--yolo`]) {
      placeFile(chatFile(world), chat.replaceAll(SESSION_ID, JSON.stringify(id).slice(1, -1)), at('01:16:05.000'))
      expect([id, await restore('01:18:00.000')]).toEqual([id, null])
    }
  })

  it('waits for the next minute when a resume in the minute of its start would overwrite the chat', async () => {
    await stage('01:16:05.000')
    expect(await restore('01:15:59.000')).toContain(SESSION_ID)
    expect(waits).toEqual([1000])
    expect(progress).toEqual(['gemini can resume its conversation in 1 s; waiting for that'])
    expect(await restore('01:16:00.000')).toContain(SESSION_ID)
    expect(waits).toEqual([])
  })

  it('names its first message, which a resume leaves out', () => {
    expect(agent.messageLostByResume!(world.launch({ prompt: 'the task' }))).toContain('the task')
    expect(agent.messageLostByResume!(world.launch({ prompt: undefined, systemPromptFile: undefined }))).toBeNull()
  })

  it('S0.76 starts afresh when the chat has vanished', async () => {
    await stage('01:16:05.000')
    writeFileSync(chatFile(world), '')
    expect(await restore('01:18:00.000')).toBeNull()
  })

  it('is not misled by the empty second file that a resume leaves behind', async () => {
    await stage('01:16:05.000')
    const header = readFileSync(chatFile(world), 'utf8').split('\n')[0]!
    placeFile(join(chatsOf(world), 'session-2026-11-15T01-17-5cfb8e1e.jsonl'), `${header}\n`, at('01:17:00.000'))
    expect(await restore('01:18:00.000')).toContain(SESSION_ID)
    expect(await state(at('01:17:01.000'))).toMatchObject({ state: 'blocked' })
  })

  it('does not take a chat from before the session', async () => {
    await stage('01:16:05.000')
    const later = { ...world.session, createdAt: at('01:16:00.000') }
    expect(await agent.getSessionInfo(later, world.options(at('01:17:00.000')))).toBeNull()
  })
})

describe('the launch of Gemini', () => {
  it.each([
    ['skip', ['--approval-mode', 'yolo']],
    ['auto-edit', ['--approval-mode', 'auto_edit']],
    ['default', []],
    ['suggest', ['--approval-mode', 'default']],
  ] as const)('permissions %s', (permissions, flags) => {
    expect(agent.getLaunchCommand(world.launch({ permissions })).slice(1)).toEqual(flags)
  })

  it('prevents the dialog that asks for trust', () => {
    expect(agent.getEnvironment(world.launch())).toEqual({ GEMINI_CLI_TRUST_WORKSPACE: 'true' })
  })

  it('S2.37 hands over instructions before the task, in a file when they are too long', async () => {
    const file = join(world.stateDir, 'system-prompt.md')
    writeFileSync(file, 'the rules')
    const short = agent.getLaunchCommand(world.launch({ systemPromptFile: file, prompt: 'the task' }))
    expect(short.at(-1)).toBe('--prompt-interactive=the rules\n\nthe task')
    writeFileSync(file, 'rule. '.repeat(40_000))
    const launch = world.launch({ systemPromptFile: file, prompt: 'the task' })
    await agent.prepare!(launch)
    const long = agent.getLaunchCommand(launch)
    const named = long.at(-1)!.match(/file (\S+),/)![1]!
    expect(readFileSync(named, 'utf8')).toBe(`${'rule. '.repeat(40_000)}\n\nthe task`)
    expect(long).toEqual(expect.arrayContaining(['--include-directories', world.stateDir]))
  })

  it('finds its chats where GEMINI_CLI_HOME pointed to at the launch', async () => {
    const elsewhere = join(world.home, 'elsewhere')
    mkdirSync(elsewhere)
    await agent.prepare!(world.launch({ config: { env: { GEMINI_CLI_HOME: elsewhere } } }))
    const now = await stage('01:15:56.000', { launched: false })
    expect(await agent.getSessionInfo(world.session, world.options(now))).toBeNull()
    await agent.prepare!(world.launch())
    expect(await agent.getSessionInfo(world.session, world.options(now))).not.toBeNull()
  })

  it.each([
    ['working', 'active'],
    ['ready', 'ready'],
    ['permission', 'waiting_input'],
    ['error', 'blocked'],
  ])('S0.53 reads the screen %s as %s', (name, expected) => {
    expect(agent.detectActivity(readTelemetry(`gemini/screens/${name}.txt`))).toBe(expected)
  })
})

it('lists what was said in a directory before ao, and continues that chat', async () => {
  await stage('01:20:00', { launched: false })
  const found = await agent.listConversations!(['/elsewhere', world.workspacePath])
  expect(found).toMatchObject([{ id: SESSION_ID, directory: world.workspacePath }])
  expect(found[0]!.title).toMatch(/\w/)
  const adopted = { ...world.session, createdAt: RESTARTED, metadata: { conversation: SESSION_ID } }
  expect((await agent.getRestoreCommand!(adopted, world.launch()))?.join(' ')).toContain(SESSION_ID)
  expect(await agent.getRestoreCommand!({ ...adopted, metadata: {} }, world.launch())).toBeNull()
})
