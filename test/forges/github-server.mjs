// GitHub for tests, as a process of its own: the npm package `emulate` keeps the REST state, GitHub's own schema is
// executed over it for GraphQL, and what both lack (statuses, ETags, job logs, conflicts) is added here.
//   node github-server.mjs [--socket path | --gh-socket path] [--web-url https://github.com]
// `--socket` instead of a port, `--gh-socket` beside it: gh reaches it there and believes that it is github.com.
import { createHash } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { createEmulator } from 'emulate'
import { createGithubGraphql } from './github-graphql.mjs'
import { createGithubRest } from './github-rest.mjs'
import { createForgeServer, listen } from './serve.mjs'

const { values } = parseArgs({
  options: { socket: { type: 'string' }, 'gh-socket': { type: 'string' }, 'web-url': { type: 'string' } },
})

const USERS = ['acme', 'maria', 'outsider', 'helper-bot']
const port = await freePort()
const frontPort = values.socket ? 0 : await freePort()
const webUrl = values['web-url'] ?? `http://127.0.0.1:${frontPort}`
await createEmulator({
  service: 'github',
  port,
  baseUrl: webUrl,
  seed: {
    tokens: Object.fromEntries(USERS.map((login) => [`token-${login}`, { login, scopes: ['repo', 'user'] }])),
    github: {
      users: USERS.map((login) => ({ login, name: login })),
      repos: [
        { owner: 'acme', name: 'app', auto_init: true },
        { owner: 'acme', name: 'secret', private: true, auto_init: true },
      ],
    },
  },
})

/** What GitHub knows beyond the emulator. */
const extra = {
  webUrl,
  statuses: new Map(),
  relations: new Map(),
  edited: new Map(),
  checkRuns: new Map(),
  resolved: new Set(),
  pulls: new Map(),
  bots: new Set(['helper-bot']),
  logs: new Map(),
  bare: new Map(),
  queryErrors: [],
  queued: new Set(),
  queues: new Set(),
  removals: new Map(),
  protected: new Set(),
  rate: { limit: 5000, used: 0, reset: Math.floor(Date.now() / 1000) + 3600 },
}
const call = async (method, path, { body, authorization = 'Bearer token-acme' } = {}) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? null : parse(text),
    headers: Object.fromEntries(response.headers),
  }
}
const rest = createGithubRest({ call, extra })
const graphql = createGithubGraphql({ call: rest, extra })

listen(
  createForgeServer({ answer, control }),
  values.socket ? { socket: values.socket } : { port: frontPort },
  (url) => ({
    url,
    webUrl,
  }),
)

const ghSocket = values['gh-socket']
// Anybody on this machine may use it, as the port.
if (ghSocket) rmSync(ghSocket, { force: true })
if (ghSocket) createForgeServer({ answer, control }).listen(ghSocket, () => chmodSync(ghSocket, 0o777))

async function answer(request) {
  // gh and servers of one's own ask below /api.
  const path = request.path.replace(/^\/api\/v3/, '').replace(/^\/api\/graphql$/, '/graphql')
  const authorization = String(request.headers.authorization ?? '').replace(/^token /i, 'Bearer ')
  if (!/^Bearer token-/.test(authorization)) return { status: 401, body: { message: 'Bad credentials' } }
  const json = request.body.length > 0 ? JSON.parse(request.body.toString()) : undefined
  if (path === '/graphql') return withRate(await graphql(json, authorization))
  const query = request.search.size > 0 ? `?${request.search}` : ''
  return withRate(withEtag(request, await rest(request.method, `${path}${query}`, { body: json, authorization })))
}

async function control({ op, ...given }) {
  if (op === 'pull') setPull(given)
  else if (op === 'resolve') extra.resolved.add(given.comment)
  else if (op === 'log') extra.logs.set(String(given.job), given.text)
  else if (op === 'rate') Object.assign(extra.rate, given)
  else if (op === 'bare') extra.bare.set(given.repo, given.path)
  else if (op === 'queue') extra.queues.add(given.repo)
  else if (op === 'protect') extra.protected.add(given.repo)
  else if (op === 'dequeue') await dequeue(given)
  else if (op === 'queryErrors') return extra.queryErrors.splice(0)
  else throw new Error(`unknown command ${op}`)
}

/** The merge queue throws it out. */
async function dequeue({ repo, number, reason }) {
  const { body } = await call('GET', `/repos/${repo}/pulls/${number}`)
  extra.queued.delete(body.node_id)
  extra.removals.set(body.node_id, { createdAt: new Date().toISOString(), reason })
}

function setPull({ repo = 'acme/app', number, ...given }) {
  const key = `${repo}#${number}`
  extra.pulls.set(key, { ...extra.pulls.get(key), ...given })
}

function withRate(answer) {
  const { limit, used, reset } = extra.rate
  if (answer.status !== 304) extra.rate.used = used + 1
  const rate = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - extra.rate.used)),
    'x-ratelimit-reset': String(reset),
  }
  return { status: answer.status, headers: { ...answer.ownHeaders, ...rate }, body: answer.body }
}

function withEtag(request, answer) {
  if (request.method !== 'GET' || answer.status !== 200) return answer
  const etag = `W/"${createHash('sha1').update(JSON.stringify(answer.body)).digest('hex')}"`
  const ownHeaders = { ...answer.ownHeaders, etag }
  if (request.headers['if-none-match'] === etag) return { status: 304, ownHeaders }
  return { ...answer, ownHeaders }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port: found } = probe.address()
      probe.close(() => resolve(found))
    })
  })
}
