import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { testProgram } from '../../test/support/test-program.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { createFeedbackStore } from '../store/feedback/feedback.ts'
import { projectPaths } from '../store/paths.ts'
import { runMcpServer } from './mcp-server.ts'

const SERVER = testProgram('feedback-server')

let temp: TempHome
let project: ReturnType<typeof projectPaths>
let clients: Client[]

beforeEach(() => {
  temp = createTempHome()
  project = projectPaths(join(temp.home, '.agent-orchestrator', '0123456789ab-myapp'))
  mkdirSync(project.sessions, { recursive: true })
  clients = []
})
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  expect(await temp.cleanup()).toEqual([])
})

function agentEnv(change: NodeJS.ProcessEnv = {}): Record<string, string> {
  const env = { ...temp.env, AO_SESSION: 'mya-1', AO_DATA_DIR: project.sessions, ...change }
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

async function connect(env = agentEnv()): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER], env, stderr: 'ignore' }))
  clients.push(client)
  return client
}

const CONTEXT = {
  ...{ env: {}, clock: systemClock, log: silentLog, version: '1' },
  ...{ role: 'worker' as const, aoCommand: [], cwd: '/', tools: async () => [] },
}

const REPORT = {
  title: 'ao send says seen too early',
  body: 'It says so\nbefore the agent has it.',
  source: 'ao send mya-2',
  confidence: 0.9,
  evidence: ['exit code 0'],
}

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<{ text: string; failed: boolean }> {
  const result = await client.callTool({ name, arguments: args })
  const [first] = result.content as Array<{ text: string }>
  return { text: first!.text, failed: result.isError === true }
}

const stored = () => createFeedbackStore({ paths: project, clock: systemClock }).list().reports

describe('the tools that agents see', () => {
  it('S1.93 are bug_report and improvement_suggestion, described as being about ao itself', async () => {
    const { tools } = await (await connect()).listTools()
    expect(tools.map((tool) => tool.name).sort()).toEqual(['bug_report', 'improvement_suggestion'])
    for (const { description } of tools) expect(description).toMatch(/Only for ao .* itself.*Not for the project/)
  })

  it('S1.93 say what each field means and which are needed', async () => {
    const { tools } = await (await connect()).listTools()
    for (const { inputSchema } of tools) {
      expect(inputSchema.required?.sort()).toEqual(['body', 'confidence', 'source', 'title'])
      expect(inputSchema.properties).toMatchObject({
        title: { type: 'string', maxLength: 200, description: expect.any(String) },
        confidence: { type: 'number', minimum: 0, maximum: 1 },
        evidence: { type: 'array', items: { type: 'string' } },
        session: { type: 'string' },
      })
    }
  })
})

describe('a call', () => {
  it.each(['bug_report', 'improvement_suggestion'])(
    'S1.93 S1.99 of %s stores a report of this session',
    async (tool) => {
      const answer = await call(await connect(), tool, REPORT)
      expect(answer).toEqual({ failed: false, text: expect.stringMatching(/^Stored as report_/) })
      expect(stored()).toEqual([expect.objectContaining({ ...REPORT, tool, session: 'mya-1' })])
    },
  )

  it('S1.97 that repeats another stores nothing and says which it was', async () => {
    const client = await connect()
    await call(client, 'bug_report', REPORT)
    const again = await call(client, 'bug_report', { ...REPORT, confidence: 0.2 })
    expect(again.text).toContain(`Known already as ${stored()[0]!.id}`)
    expect(stored()).toHaveLength(1)
  })

  it('S1.97 from two agents at once is stored once', async () => {
    const both = await Promise.all([connect(), connect()])
    const answers = await Promise.all(both.map((client) => call(client, 'bug_report', { ...REPORT, session: 'mya-9' })))
    expect(answers.map((answer) => answer.failed)).toEqual([false, false])
    expect(stored()).toHaveLength(1)
  })

  it('S1.99 may name another session', async () => {
    await call(await connect(), 'bug_report', { ...REPORT, session: 'mya-7' })
    expect(stored()[0]?.session).toBe('mya-7')
  })

  it.each([
    ['S1.100 with a confidence outside 0 to 1', { confidence: 1.5 }, /confidence/],
    ['without a title', { title: undefined }, /title/],
    ['with a session that is a path', { session: '../x' }, /session/],
  ])('%s is refused with the reason, and the next one works', async (_what, change, reason) => {
    const client = await connect()
    const refused = await call(client, 'bug_report', { ...REPORT, ...change })
    expect(refused).toEqual({ failed: true, text: expect.stringMatching(reason) })
    expect((await call(client, 'bug_report', REPORT)).failed).toBe(false)
  })

  it.each([
    ['no AO_DATA_DIR', { AO_DATA_DIR: undefined }, /inside an ao session/],
    ['an AO_DATA_DIR that is no sessions directory', { AO_DATA_DIR: '/' }, /inside an ao session/],
    ['no AO_SESSION', { AO_SESSION: undefined }, /session is unknown/],
  ])('outside a session says what is missing: %s', async (_what, change, reason) => {
    const refused = await call(await connect(agentEnv(change)), 'bug_report', REPORT)
    expect(refused).toEqual({ failed: true, text: expect.stringMatching(reason) })
    expect(existsSync(project.feedback)).toBe(false)
  })
})

describe('the server', () => {
  const message = (id: number, method: string, params: unknown) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  const hello = message(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })

  it('carries out what was asked before its input ended, then ends on its own', async () => {
    const child = spawn(process.execPath, [SERVER], { env: agentEnv(), stdio: ['pipe', 'pipe', 'pipe'] })
    const exited = new Promise((resolve) => child.once('close', resolve))
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    child.stdin.end(hello + message(2, 'tools/call', { name: 'bug_report', arguments: REPORT }))
    expect(await exited).toBe(0)
    expect(
      printed
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([1, 2])
    expect(readdirSync(project.feedback)).toHaveLength(1)
  })

  it('ends when its responses are no longer read', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const running = runMcpServer({ ...CONTEXT, input, output })
    input.write(hello)
    output.destroy(new Error('EPIPE'))
    await running
  })

  it('survives a line that is not a message', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const running = runMcpServer({ ...CONTEXT, input, output })
    input.end(`no json\n{"jsonrpc":"2.0"}\n${hello}`)
    await running
    expect(JSON.parse(String(output.read()).trim())).toMatchObject({ id: 1, result: { serverInfo: { name: 'ao' } } })
  })
})
