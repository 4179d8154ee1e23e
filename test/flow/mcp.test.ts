// ao driven by MCP, as another program would: over stdin and stdout, over HTTP, and from inside sessions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/ao/commands.ts'
import { loadTools } from '../../src/cli/command-table.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { toolsFor } from '../../src/mcp/mcp-server.ts'
import { createPaths } from '../../src/store/paths.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const AO = join(import.meta.dirname, '../../dist/ao.js')
const CONFIG = `port: 0
lifecycle: { pollSeconds: 1 }
defaults: { runtime: process, notifiers: [] }
projects: { app: { path: ., agent: demo, tracker: local, scm: { plugin: local, ci: { commands: [] } } } }
`

const TOOLS = await loadTools(COMMANDS)

let world: AoWorld
let clients: Client[]

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  clients = []
  world = createAoWorld({ config: CONFIG })
  await world.agree()
})

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

async function connect(env: NodeJS.ProcessEnv = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const all = Object.entries({ ...world.temp.env, ...env }).filter(
    (one): one is [string, string] => one[1] !== undefined,
  )
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [AO, 'mcp'],
      env: Object.fromEntries(all),
      cwd: world.repo,
      stderr: 'ignore',
    }),
  )
  clients.push(client)
  return client
}

type Answer = Record<string, unknown>

async function call(client: Client, name: string, args: Answer): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args })
  if (result.isError) throw new Error((result.content as Array<{ text: string }>)[0]!.text)
  return result.structuredContent as Answer
}

const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).sort()

/** From an issue to the merged pull request, by tools only. */
async function drive(client: Client): Promise<void> {
  const { issue } = (await call(client, 'create_issue', {
    title: '--json is not an option here',
    body: 'demo: write answer 42\ndemo: commit the answer\ndemo: pr The answer\ndemo: wait 600s',
  })) as { issue: { id: string } }
  const { session } = (await call(client, 'spawn_session', { issue: issue.id })) as { session: { id: string } }
  const pulls = () => call(client, 'list_pull_requests', {})
  await waitFor('a pull request', async () => JSON.stringify(await pulls()).includes('The answer'), 30_000)
  expect((await call(client, 'read_diff', { session: session.id })).diff).toContain('+42')
  expect(await call(client, 'read_transcript', { session: session.id, lines: 50 })).toMatchObject({ kind: 'terminal' })
  const { sessions } = (await call(client, 'list_sessions', {})) as { sessions: Array<{ id: string }> }
  expect(sessions.map(({ id }) => id)).toContain(session.id)
  await call(client, 'review_pull_request', {
    pr: '2',
    verdict: 'approve',
    body: 'Good',
    comments: [{ path: 'answer', line: 1, text: 'why: "42"?' }],
  })
  expect(await call(client, 'merge_pull_request', { pr: '2', method: 'squash' })).toMatchObject({ number: 2 })
  expect(await call(client, 'kill_session', { session: session.id, purge: true })).toMatchObject({ purged: true })
}

describe('over stdin and stdout', () => {
  it('takes an issue to a merged pull request', async () => {
    const client = await connect()
    expect(await names(client)).toEqual(TOOLS.map(({ tool }) => tool.name).sort())
    await drive(client)
  }, 90_000)

  it('describes every tool with schemas for both sides and says which ones only read', async () => {
    const { tools } = await (await connect()).listTools()
    for (const { inputSchema, outputSchema, annotations, title } of tools) {
      expect([inputSchema.type, outputSchema?.type, typeof title]).toEqual(['object', 'object', 'string'])
      expect(typeof annotations?.readOnlyHint).toBe('boolean')
    }
    expect(tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)).toEqual([
      'kill_session',
      'merge_pull_request',
    ])
  }, 60_000)

  it('reports a failed command with its code and the next command to type', async () => {
    const client = await connect()
    await expect(call(client, 'get_session', { session: 'app-9' })).rejects.toThrow(
      /SESSION_NOT_FOUND: There is no session/,
    )
    await expect(call(client, 'get_session', { session: '--help' })).rejects.toThrow(/SESSION_NOT_FOUND/)
    await expect(call(client, 'spawn_session', {})).rejects.toThrow(/issue, prompt or both/)
    const comments = Array.from({ length: 100 }, () => ({ path: 'a', line: 1, text: 'x'.repeat(30_000) }))
    await expect(call(client, 'review_pull_request', { pr: '1', verdict: 'comment', comments })).rejects.toThrow(
      /too large for one command/,
    )
  }, 60_000)

  it.each([
    ['worker', 'agent', ['bug_report', 'improvement_suggestion']],
    [
      'orchestrator',
      'orchestrator',
      toolsFor('orchestrator', TOOLS)
        .map(({ tool }) => tool.name)
        .concat('bug_report', 'improvement_suggestion')
        .sort(),
    ],
  ])(
    'offers the agent of a %s session what its role may do',
    async (_role, type, expected) => {
      const client = await connect({ AO_SESSION: 'app-7', AO_CALLER_TYPE: type, AO_PROJECT_ID: 'app' })
      expect(await names(client)).toEqual(expected)
      expect(await names(client)).not.toContain('merge_pull_request')
    },
    60_000,
  )
})

describe('over HTTP', () => {
  it('takes an issue to a merged pull request with the token, and refuses everyone else', async () => {
    await world.ao(['start'])
    const { url, token } = served()
    const refused = await fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(refused.status).toBe(401)
    const tooLarge = await fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: 'x'.repeat(4 * 1024 * 1024 + 1),
    })
    expect([tooLarge.status, await tooLarge.json()]).toMatchObject([413, { error: { code: 'BODY_TOO_LARGE' } }])
    const client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit }))
    clients.push(client)
    await drive(client)
  }, 90_000)
})

function served(): { url: string; token: string } {
  const configPath = join(world.repo, 'agent-orchestrator.yaml')
  const files = runFiles(createPaths({ configPath, home: world.temp.home, env: world.temp.env }))
  const { port } = JSON.parse(readFileSync(files.state, 'utf8')) as { port: number }
  return { url: `http://127.0.0.1:${port}`, token: readFileSync(files.token, 'utf8').trim() }
}
