// How requests leave a machine behind a proxy or with its own certificate authority: a real proxy, a real TLS server, and
// processes that ask as the plugins do.
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildAo, createAoWorld } from '../support/run-ao.ts'
import { readSources } from '../support/scan-source.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures')
const CA = join(FIXTURES, 'tls/ca.pem')
const inTls = (name: string) => readFileSync(join(FIXTURES, 'tls', name))

let secure: Server
let plain: Server
let proxy: ChildProcess
let lines: string[]
let proxyPort: string

beforeEach(async () => {
  lines = []
  proxy = fork(join(FIXTURES, 'proxy.mjs'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: [] })
  proxy.stdout!.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')))
  secure = createServer({ key: inTls('server.key'), cert: inTls('server.pem') }, (_, answer) => answer.end('secure'))
  plain = createHttpServer(({ headers }, answer) => answer.end(`plain ${headers.via ?? 'straight'}`))
  for (const server of [secure, plain]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  await waitFor('the proxy', () => lines.length > 0)
  proxyPort = lines.shift()!.split(' ')[1]!
})
afterEach(() => {
  proxy.disconnect()
  for (const server of [secure, plain]) {
    server.closeAllConnections()
    server.close()
  }
})

const portOf = (server: Server) => (server.address() as AddressInfo).port
const throughProxy = () => `http://127.0.0.1:${proxyPort}`

function ask(url: string, env: Record<string, string>): Promise<string> {
  const whole = { PATH: process.env.PATH, HOME: '/nowhere', ...env }
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [testProgram('fetch-once'), url], { env: whole }, (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim()),
    ),
  )
}

describe('a proxy', () => {
  it.each(['HTTPS_PROXY', 'https_proxy'])('that %s names gets the request for https', async (name) => {
    const env = { [name]: throughProxy(), NODE_EXTRA_CA_CERTS: CA }
    expect(await ask(`https://forge.example:${portOf(secure)}/`, env)).toBe('200 secure')
    expect(lines).toEqual([`CONNECT forge.example:${portOf(secure)}`])
  })

  it('may be named without http:// and with a password', async () => {
    const env = { HTTPS_PROXY: `me:word@127.0.0.1:${proxyPort}`, NODE_EXTRA_CA_CERTS: CA }
    expect(await ask(`https://forge.example:${portOf(secure)}/`, env)).toBe('200 secure')
    expect(lines).toEqual([`CONNECT forge.example:${portOf(secure)} with a password`])
  })

  it('that HTTP_PROXY names gets the request for http, and none for https', async () => {
    const env = { HTTP_PROXY: throughProxy(), NODE_EXTRA_CA_CERTS: CA }
    expect(await ask(`http://forge.example:${portOf(plain)}/a`, env)).toBe('200 plain 1.1 test-proxy')
    expect(await ask(`https://localhost:${portOf(secure)}/`, env)).toBe('200 secure')
    expect(lines).toEqual([`GET forge.example:${portOf(plain)}/a`])
  })

  it.each([
    ['NO_PROXY names the host', { NO_PROXY: 'other.example, 127.0.0.2' }],
    ['no_proxy is *', { no_proxy: '*' }],
  ])('is left out when %s', async (_when, env) => {
    // Nothing listens there: only a proxy that leads elsewhere could have answered.
    const url = `http://127.0.0.2:${portOf(plain)}/`
    expect(await ask(url, { HTTP_PROXY: throughProxy() })).toBe('200 plain 1.1 test-proxy')
    lines.splice(0)
    expect(await ask(url, { HTTP_PROXY: throughProxy(), ...env })).toMatch(/^failed: .*ECONNREFUSED 127\.0\.0\.2/)
    expect(lines).toEqual([])
  })

  it.each(['127.0.0.1', 'localhost'])('is left out for this machine itself: %s', async (host) => {
    const answer = await ask(`http://${host}:${portOf(plain)}/`, { HTTP_PROXY: throughProxy() })
    expect(answer).toBe('200 plain straight')
  })

  it('that is missing is named in the error, without its password', async () => {
    const env = { HTTPS_PROXY: 'http://me:word@127.0.0.1:1' }
    const answer = await ask('https://forge.example/', env)
    expect(answer).toMatch(/^failed: .*ECONNREFUSED.* \(through the proxy 127\.0\.0\.1:1\)/)
    expect(answer).not.toContain('word')
  })

  it.each(['socks5://127.0.0.1:1080', 'http://'])(
    'that is not an HTTP proxy is an error that names it: %s',
    async (value) => {
      expect(await ask('https://forge.example/', { HTTPS_PROXY: value })).toBe(
        'failed: HTTPS_PROXY is not the address of an HTTP proxy',
      )
    },
  )
})

describe('a certificate authority of the company', () => {
  it('is not trusted unless somebody says so', async () => {
    expect(await ask(`https://localhost:${portOf(secure)}/`, {})).toMatch(/^failed: .*certificate/)
  })

  it.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])('is trusted when %s names its file', async (name) => {
    expect(await ask(`https://localhost:${portOf(secure)}/`, { [name]: CA })).toBe('200 secure')
  })

  it('is trusted through a proxy too', async () => {
    const env = { SSL_CERT_FILE: CA, HTTPS_PROXY: throughProxy() }
    expect(await ask(`https://forge.example:${portOf(secure)}/`, env)).toBe('200 secure')
  })

  it('in a file that cannot be read is an error that says so', async () => {
    expect(await ask(`https://localhost:${portOf(secure)}/`, { SSL_CERT_FILE: '/nowhere/ca.pem' })).toMatch(
      /^failed: SSL_CERT_FILE names \/nowhere\/ca\.pem, which cannot be read: /,
    )
  })
})

it('the built ao asks a forge through the proxy', async () => {
  buildAo()
  const world = createAoWorld({
    config: 'projects: { app: { path: ., repo: acme/app, tracker: { plugin: github } } }\n',
  })
  // The checkout has no remote that names this repository.
  await world.ao(['config', 'trust', '--yes'])
  const { stderr } = await world.ao(['issue', 'ls'], { env: { HTTPS_PROXY: throughProxy(), GITHUB_TOKEN: 'x' } })
  expect(stderr).toMatch(/^error: GitHub could not be reached: .*\(through the proxy 127\.0\.0\.1:\d+\)/)
  expect(lines).toContain('CONNECT api.github.com:443')
  expect(await world.temp.cleanup()).toEqual([])
})

it('every request leaves by the one place that knows of all this', () => {
  const others = readSources(join(import.meta.dirname, '../../src')).filter(
    ({ path }) => !path.endsWith('outgoing-fetch.ts'),
  )
  const calls = others.filter(({ bare }) => /(?<![.\w])fetch\((?!\))/.test(bare))
  // The dashboard's own certificate is for those who come in.
  const isOther = (path: string) =>
    path !== 'plugins/runtime-kubernetes/api.ts' && path !== 'dashboard/access/outer-listener.ts'
  // A cluster's API server has authorities and certificates of its own: those of the kubeconfig.
  const clients = others.filter(({ path, text }) => isOther(path) && /['"](undici|node:https|node:tls)['"]/.test(text))
  // A place's channel speaks HTTP/2 over streams that it is given, and opens no connection.
  const channels = others.filter(({ text }) => /['"]node:http2['"]/.test(text))
  const strangers = channels.filter(
    ({ path, text }) => !path.startsWith('plugins/place/') || /\bconnect\((?![^)]*createConnection)/.test(text),
  )
  expect([...calls, ...clients, ...strangers].map(({ path }) => path)).toEqual([])
})
