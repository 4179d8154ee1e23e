// What the search reads of conversations as the real programs wrote them down, and what it leaves alone.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '../../src/contract/session.ts'
import { plugin as claude } from '../../src/plugins/agent-claude-code/index.ts'
import { plugin as codex } from '../../src/plugins/agent-codex/index.ts'
import { plugin as gemini } from '../../src/plugins/agent-gemini/index.ts'
import { plugin as opencode } from '../../src/plugins/agent-opencode/index.ts'
import { tablePlugin } from '../../src/plugins/agent-table/index.ts'
import { transcriptSources } from '../../src/search/list-sources.ts'
import { readPieces, stampOf } from '../../src/search/read-source.ts'
import type { Agent } from '../../src/slots/agent.ts'
import type { Plugin } from '../../src/slots/plugin.ts'
import { type AgentWorld, createAgentWorld, readTelemetry } from './agent-world.ts'
import { createOpencodeDatabase } from './opencode-database.ts'

let world: AgentWorld

beforeEach(() => {
  world = createAgentWorld()
})
afterEach(() => world.temp.cleanup())

interface Sample {
  name: string
  plugin: Plugin
  file: string
  recordedIn: string
  /** Where that file is for a session in this directory. */
  path(home: string, workspacePath: string): string
  record?: Record<string, string>
  /** The prompt, the answer and a tool's arguments; then what is about the agent's own affairs. */
  spoken: string[]
  unspoken: string[]
}

const dashed = (path: string) => path.replace(/[^A-Za-z0-9]/g, '-')
const CODEX = '01a1dcc2-0000-7000-8000-000000000001'

const SAMPLES: Sample[] = [
  {
    ...{
      name: 'Claude Code',
      plugin: claude,
      file: 'claude-code/transcript.jsonl',
      recordedIn: '/home/user/repos/claude',
    },
    path: (home, at) => join(home, '.claude', 'projects', dashed(at), `${CODEX}.jsonl`),
    spoken: ['LAB:WRITE /', 'LAB-DONE WRITE', 'written by mock'],
    unspoken: ['permission-mode', 'parentUuid'],
  },
  {
    ...{ name: 'Codex', plugin: codex, file: 'codex/rollout.jsonl', recordedIn: '/home/user/repos/codex' },
    path: (home) => join(home, '.codex', 'sessions', '2026', '11', '15', `rollout-2026-11-15T01-10-00-${CODEX}.jsonl`),
    spoken: ['LAB:WRITE /', 'LAB-DONE WRITE', 'written by mock'],
    unspoken: ['base_instructions', 'You are Codex'],
  },
  {
    ...{ name: 'Gemini CLI', plugin: gemini, file: 'gemini/session.jsonl', recordedIn: '/home/user/repos/gemini' },
    path: (home) => join(home, '.gemini', 'tmp', 'work', 'chats', 'session-2026-11-15T01-15-x.jsonl'),
    spoken: ['LAB:WRITE /', 'LAB-DONE WRITE', 'Successfully created'],
    unspoken: ['session_context', 'Directory Structure'],
  },
  {
    ...{ name: 'Qwen Code', plugin: tablePlugin('qwen').plugin, file: 'qwen/chat.jsonl' },
    recordedIn: '/home/user/repos/qwen',
    path: (home, at) => join(home, '.qwen', 'projects', dashed(at), 'chats', `${CODEX}.jsonl`),
    spoken: ['LAB:WRITE /', 'LAB-DONE WRITE', 'Successfully created'],
    unspoken: ['ui_telemetry', 'promptCount'],
  },
  {
    ...{ name: 'pi', plugin: tablePlugin('pi').plugin, file: 'pi/session.jsonl', recordedIn: '/home/user/repos/pi' },
    path: (home, at) =>
      join(home, '.pi', 'agent', 'sessions', `--${at.slice(1).replaceAll('/', '-')}--`, `2026_${CODEX}.jsonl`),
    spoken: ['LAB:HELLO', 'LAB-DONE BASH', 'lab-bash-ok'],
    unspoken: ['operating inside pi', 'thinkingLevel'],
  },
]

const agentOf = async (plugin: Plugin) => (await plugin.create({}, world.context)) as Agent
const session = (more: Partial<Session> = {}): Session => ({ ...world.session, ...more })

async function textsOf(agent: Agent, of = session()): Promise<string> {
  const names = await agent.transcripts!.names(of, world.options(new Date()))
  const found: string[] = []
  for (const source of transcriptSources(names, agent.transcripts!)) {
    try {
      if ((await stampOf(source)) === null) continue
      for await (const { units } of readPieces(source, 0)) found.push(...units.map(({ text }) => text))
    } catch (error) {
      expect(error).toMatchObject({ code: 'FILE_UNUSABLE' })
    }
  }
  return found.join('\n')
}

describe.each(SAMPLES)('a conversation with $name', ({ plugin, file, recordedIn, path, spoken, unspoken }) => {
  const textIn = (directory: string) => readTelemetry(file).replaceAll(recordedIn, directory)
  const place = (directory: string, text = textIn(directory)) => {
    const own = path(world.home, directory)
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(own, text)
    return own
  }

  beforeEach(() => {
    mkdirSync(join(world.home, '.gemini'), { recursive: true })
    writeFileSync(
      join(world.home, '.gemini', 'projects.json'),
      JSON.stringify({ projects: { [world.workspacePath]: 'work' } }),
    )
  })

  it('is what was said and done, without its own affairs', async () => {
    place(world.workspacePath)
    const found = await textsOf(await agentOf(plugin))
    for (const text of spoken) expect(found).toContain(text)
    for (const text of unspoken) expect(found).not.toContain(text)
  })

  it('survives lines that are huge, broken, foreign or deep', async () => {
    const noise = ['{', '[]', 'null', '\0', `{"type":"user","message":"${'x'.repeat(3_000_000)}`, '['.repeat(100_000)]
    const [first, ...rest] = textIn(world.workspacePath).split('\n')
    place(world.workspacePath, [first, ...rest.slice(0, -2), ...noise, ...rest.slice(-2)].join('\n'))
    const found = await textsOf(await agentOf(plugin))
    for (const text of spoken) expect(found).toContain(text)
  })

  it('is not read through a link or from a pipe', async () => {
    const agent = await agentOf(plugin)
    const own = place(world.workspacePath)
    const other = join(world.home, 'other.jsonl')
    writeFileSync(other, textIn(world.workspacePath))
    rmSync(own)
    symlinkSync(other, own)
    expect(await textsOf(agent)).toBe('')
    rmSync(own)
    execFileSync('mkfifo', [own])
    expect(await textsOf(agent)).toBe('')
  })

  // Gemini's own table says which directory a chat belongs to.
  it.skipIf(plugin.manifest.name === 'gemini')('is not one of another directory with the same name', async () => {
    place(world.workspacePath, textIn('/home/other'))
    expect(await textsOf(await agentOf(plugin))).toBe('')
  })
})

describe('a conversation with Copilot', () => {
  it('is in the directory of the id that ao chose, and in no other', async () => {
    const agent = await agentOf(tablePlugin('copilot').plugin)
    await agent.prepare!(world.launch())
    const event = (type: string, data: object) =>
      `${JSON.stringify({ type, timestamp: '2026-11-15T01:06:57Z', data })}\n`
    const write = (id: string, text: string) => {
      const directory = join(world.home, '.copilot', 'session-state', id)
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, 'events.jsonl'), event('user.message', { content: text }))
      return join(directory, 'events.jsonl')
    }
    write('00000000-0000-4000-8000-000000000002', 'of another session')
    const own = write('00000000-0000-4000-8000-000000000001', 'feed the quokka')
    const call = { toolRequests: [{ name: 'bash', arguments: { command: 'ls burrow' } }] }
    const lines = [
      event('assistant.message', call),
      event('tool.execution_complete', { result: { content: 'three quokkas' } }),
      event('session.usage_record', { content: 'affairs' }),
    ]
    writeFileSync(own, lines.join(''), { flag: 'a' })
    expect(await textsOf(agent)).toBe('feed the quokka\nls burrow\nthree quokkas')
  })
})

describe('a conversation with OpenCode', () => {
  const START = 1_794_705_000_000
  const create = () => createOpencodeDatabase(join(world.home, '.local', 'share', 'opencode'), world.workspacePath)

  it('is the parts of its own sessions, in their order', async () => {
    const database = create()
    const of = session({ createdAt: new Date(START) })
    const agent = await agentOf(opencode)
    const found = await textsOf(agent, of)
    for (const text of ['LAB:WRITE /', 'LAB-DONE WRITE', 'written by mock', 'Wrote file successfully'])
      expect(found).toContain(text)
    for (const text of ['step-finish', '444a8fa98e219b9e']) expect(found).not.toContain(text)
    database.addSession({ id: 'ses_other', directory: '/elsewhere', time_created: START, time_updated: START })
    for (const [id, data] of [
      ['prt_z1', '{"type":"text","text":'],
      ['prt_z2', JSON.stringify({ type: 'text', text: `huge ${'x'.repeat(3_000_000)}` })],
      ['prt_z3', '7'],
      ['prt_z4', JSON.stringify({ type: 'text', text: 'at the end' })],
    ] as const)
      database.addPart({
        id,
        message_id: 'm',
        session_id: 'ses_e233bcc94ffeChBTma4dpztGQH',
        time_created: START,
        time_updated: START,
        data,
      })
    database.addPart({
      id: 'prt_a',
      message_id: 'm',
      session_id: 'ses_other',
      time_created: START,
      time_updated: START,
      data: JSON.stringify({ type: 'text', text: 'elsewhere' }),
    })
    const more = await textsOf(agent, of)
    expect(more).toContain('at the end')
    expect(more).not.toMatch(/huge|elsewhere/)
    expect(await textsOf(agent, session({ createdAt: new Date('2026-11-18T00:00:00Z') }))).toBe('')
    database.close()
  })

  it('is unknown, not gone, while its database is damaged', async () => {
    const database = create()
    const { transcripts } = await agentOf(opencode)
    const [name] = await transcripts!.names(session({ createdAt: new Date(START) }), world.options(new Date()))
    database.close()
    writeFileSync(database.path, 'no database at all'.repeat(1_000))
    await expect(transcripts!.rows!.stamp(name!)).rejects.toThrow('cannot be read now')
    rmSync(database.path)
    expect(await transcripts!.rows!.stamp(name!)).toBeNull()
  })
})
