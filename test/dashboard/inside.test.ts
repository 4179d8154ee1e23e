// What the agent of a session can do with the page's API: it runs as the same user and can read the token, so the key alone says
// nothing. Real processes below one that has the variables of a session.
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DASHBOARD_ROUTES } from '../../src/dashboard/server/routes.ts'
import { readOrMakeToken } from '../../src/http/access-token.ts'
import { ANSWER_PATH, type LinkedAnswer, signAnswer } from '../../src/http/answer-link.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { type ServedProject, serveProject } from './served-project.ts'

let world: ServedProject

beforeAll(async () => {
  world = await serveProject({ yaml: ['agent: demo', 'scm: local'] })
  await world.session('app-1', { agent: 'demo' })
})
afterAll(async () => {
  expect(await world.close()).toEqual([])
})

const origin = (host = '127.0.0.1') => `http://${host}:${world.server.port}`
const ROLES = { worker: {}, orchestrator: { AO_CALLER_TYPE: 'orchestrator' } } as const

/** How an agent may send it: what it sets itself changes nothing about the processes above. */
const WAYS = {
  'as it is': '',
  'without its variables': 'env -u AO_SESSION -u AO_CALLER_TYPE -u AO_PROJECT_ID',
  'with nothing of its environment': 'env -i PATH="$PATH"',
  'in a process session of its own': 'setsid -w',
}

/** What a shell prints that was started with these variables, and that has a child do the work, as agents do. */
function shell(script: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', `${script}\n:`], { env: { ...world.temp.env, ...env } })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.on('close', () => resolve(text))
  })
}

const inside = (script: string, more: NodeJS.ProcessEnv = {}) =>
  shell(script, { AO_SESSION: 'app-1', AO_PROJECT_ID: 'app', ...more })

function curl(method: string, path: string, body = '{}', url = origin()): string {
  const sends = method === 'GET' ? '' : `-H 'content-type: application/json' -d '${body}'`
  return `curl -s -o /dev/null -w '%{http_code} ' -H 'authorization: Bearer ${world.token}' -X ${method} ${sends} '${url}${path}'`
}

const CHANGES = DASHBOARD_ROUTES.filter(({ method, path }) => method !== 'GET' && path !== '/api/mcp')
const SOME = CHANGES.filter(({ path }) => /\/(?:permission|merge|kill)$/.test(path))

async function codesOf(routes: typeof CHANGES, prefix: string, variables: NodeJS.ProcessEnv): Promise<string[]> {
  const lines = routes.map(({ method, path }) => `${prefix} ${curl(method, path.replace(/:[A-Za-z]+/g, 'nothing-1'))}`)
  return (await inside(lines.join('\n'), variables)).trim().split(' ')
}

describe.each(Object.entries(ROLES))('the agent of a session, %s', (_role, variables) => {
  it('changes nothing with the token, by any route', async () => {
    expect(await codesOf(CHANGES, '', variables)).toEqual(CHANGES.map(() => '403'))
  })

  it.each(Object.entries(WAYS))('changes nothing with the token, %s', async (_way, prefix) => {
    expect(await codesOf(SOME, prefix, variables)).toEqual(SOME.map(() => '403'))
  })

  it('may read what it can read on the disk, too', async () => {
    expect(await inside(curl('GET', '/api/sessions'), variables)).toBe('200 ')
  })
})

it('no agent answers with a link that it signed itself', async () => {
  const key = readOrMakeToken(runFiles(world.context.paths).links)
  const until = Date.now() + 60_000
  const answer: LinkedAnswer = { sessionId: 'app-1', requestId: 'r-1', askedAt: '', decision: 'allow-once', until }
  const path = `${ANSWER_PATH}${signAnswer(key, answer)}`
  expect(await inside(curl('POST', path))).toBe('403 ')
  expect(await shell(curl('POST', path), {})).toBe('409 ')
})

it('MCP gives an agent the tools of its role', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const accept = "-H 'accept: application/json, text/event-stream'"
  const list = `curl -s -H 'authorization: Bearer ${world.token}' -H 'content-type: application/json' ${accept} -d '${body}' '${origin()}/api/mcp'`
  expect(await inside(list)).toContain('bug_report')
  const person = await shell(list, {})
  expect(person).toContain('"jsonrpc"')
  expect(person).not.toContain('bug_report')
})

it('a person with curl is served, whatever sessions of other homes say', async () => {
  const question = curl('POST', '/api/sessions/nothing-1/send', '{"message":"hello"}')
  expect(await shell(question, {})).toBe('404 ')
  expect(await shell(question, { AO_SESSION: 'app-1', HOME: '/nonexistent' })).toBe('404 ')
})
