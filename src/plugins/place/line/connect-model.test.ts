// The way of an agent without a network to its model: the proxy beside it, and home, which connects.
import { type AddressInfo, createConnection, createServer, type Server } from 'node:net'
import { duplexPair } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ModelProxy, startModelProxy } from '../far/model-proxy.ts'
import type { Far } from '../reach/far.ts'
import { connectModel } from './connect-model.ts'

let model: Server
let proxy: ModelProxy
let isHomeThere = true

beforeAll(async () => {
  model = createServer((socket) => void socket.on('data', (chunk) => socket.write(`model: ${chunk}`)))
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  const allowed = [address(), 'localhost:1']
  const far = {
    stream(_name: string, { query }: { query: { id: string; refused?: string } }) {
      const [here, there] = duplexPair()
      proxy.take(query.id, there, query.refused ?? null)
      return here
    },
  } as unknown as Far
  proxy = await startModelProxy((id, target) => {
    if (isHomeThere) setImmediate(() => connectModel(far, { id, target }, { allowed, open: 0 }))
    return isHomeThere
  })
})
afterAll(() => void model.close())

const address = () => `127.0.0.1:${(model.address() as AddressInfo).port}`

/** What an agent reads after it asked its proxy for this and said hello. */
function ask(target: string): Promise<string> {
  const { port } = new URL(proxy.environment.HTTPS_PROXY!)
  return new Promise((resolve) => {
    const socket = createConnection(Number(port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (text.endsWith('established\r\n\r\n')) socket.write('hello')
      if (text.includes('model: hello')) socket.end()
    })
    socket.on('close', () => resolve(text))
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  })
}

describe('an agent with network: model-only', () => {
  it('reaches a server that is allowed', async () =>
    expect(await ask(address())).toMatch(/^HTTP\/1\.1 200 .*model: hello/s))

  it('reaches nothing else', async () =>
    expect(await ask('evil.example.com:443')).toMatch(/^HTTP\/1\.1 403 .*is not a server of a model/s))

  it('is told when home cannot connect', async () =>
    expect(await ask('localhost:1')).toMatch(/^HTTP\/1\.1 403 .*cannot be reached from home/s))

  it('is told when home is not there', async () => {
    isHomeThere = false
    expect(await ask(address())).toMatch(/^HTTP\/1\.1 503 .*Home cannot be reached now/s)
  })
})
