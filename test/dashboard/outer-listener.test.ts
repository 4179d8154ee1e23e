// The address besides this machine: the same server behind it, encrypted where there is a certificate. 127.0.0.2 stands for it.
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { request as requestSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOuterListener, type OuterListener, outerAddress } from '../../src/dashboard/access/outer-listener.ts'
import { cookie } from '../../src/dashboard/access/sign-in.ts'

const inTls = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/tls', name), 'utf8')
const certificate = { cert: inTls('server.pem'), key: inTls('server.key') }
const OUTER = '127.0.0.2'

let server: Server
let outer: OuterListener
let port: number

beforeEach(async () => {
  server = createServer((request, response) =>
    response.end(cookie({ cookie: 'ao-x' } as never, request, 'secret', 1_000)),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
  outer = createOuterListener()
})
afterEach(async () => {
  await outer.close()
  server.closeAllConnections()
  server.close()
})

function askSecure(): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = requestSecure(
      { host: OUTER, port, servername: 'localhost', ca: inTls('ca.pem'), agent: false },
      (answer) => answer.on('data', (data) => resolve(String(data))),
    )
    sent.on('error', reject).end()
  })
}
const askPlain = async () => (await fetch(`http://${OUTER}:${port}/`, { headers: { connection: 'close' } })).text()

it('is served by the one server, in the open or encrypted, and no longer when it is not wanted', async () => {
  await expect(askPlain()).rejects.toThrow()
  await outer.use({ host: OUTER, certificate: null }, port, server)
  expect(await askPlain()).not.toContain('Secure')
  // The same address with a certificate from here on: what is given there stays encrypted.
  await outer.use({ host: OUTER, certificate }, port, server)
  expect(await askSecure()).toContain('; Secure')
  await expect(askPlain()).rejects.toThrow()
  expect(await askSecure()).toContain('ao-x=secret')
  await outer.use(null, port, server)
  await expect(askSecure()).rejects.toThrow()
})

it('survives a client that talks nonsense instead of TLS', async () => {
  await outer.use({ host: OUTER, certificate }, port, server)
  const socket = connect(port, OUTER)
  const gone = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\n\r\n')
  await gone
  expect(await askSecure()).toContain('Secure')
})

it('is refused with its reason: a taken port, a key of another certificate, a file that is not there', async () => {
  const taken = createServer()
  await new Promise<void>((done) => taken.listen(port, OUTER, done))
  await expect(outer.use({ host: OUTER, certificate: null }, port, server)).rejects.toMatchObject({
    code: 'PORT_TAKEN',
  })
  taken.close()
  const broken = { cert: certificate.cert, key: 'nothing' }
  await expect(outer.use({ host: OUTER, certificate: broken }, port, server)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  })
  const config = (dashboard: object) => ({ dashboard, configPath: '/nowhere/agent-orchestrator.yaml' }) as never
  for (const dashboard of [
    { listen: '0.0.0.0' },
    { listen: '8.8.8.8' },
    { listen: 'box.lan' },
    { tls: { cert: 'a', key: 'b' } },
  ]) {
    expect(() => outerAddress(config(dashboard), '/nowhere')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  }
  expect(outerAddress(config({}), '/nowhere')).toBeNull()
})
