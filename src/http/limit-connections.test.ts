import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { repeats } from '../../test/support/cover.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { admitConnection, limitConnections } from './limit-connections.ts'

const MOST = 50
/** Many times as many as have a slot. */
const IDLE = repeats(2_000, 400)
let server: Server
let sockets: Socket[]

beforeEach(async () => {
  sockets = []
  server = createServer((request, response) => {
    if (request.headers.authorization === 'good') admitConnection(request)
    else if (request.url !== '/page') return void response.writeHead(401).end()
    if (request.url === '/stream') return void response.write('first\n')
    response.end('hello')
  })
  limitConnections(server, { most: MOST })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const port = () => (server.address() as AddressInfo).port

const connections = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

/** Connects and sends this much; resolves when it is connected. */
function open(text = ''): Promise<Socket> {
  const socket = connect(port(), '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  return new Promise((resolve) => socket.once('connect', () => socket.write(text, () => resolve(socket))))
}

function openStream(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port: port(), path: '/stream', headers: { authorization: 'good' } }, resolve)
    outgoing.once('error', reject)
    outgoing.once('socket', (socket) => sockets.push(socket))
    outgoing.end()
  })
}

async function ask(path: string, headers = {}): Promise<number> {
  const { status } = await fetch(`http://127.0.0.1:${port()}${path}`, { headers: { ...headers, connection: 'close' } })
  return status
}

it.each([
  ['say nothing', ''],
  ['never finish what they ask', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['have no key', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['send a body without end', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{'],
])(`answers whoever has a key beside ${IDLE} connections that %s`, async (_what, text) => {
  const stream = await openStream()
  stream.resume()
  for (let n = 0; n < IDLE / 100; n++) await Promise.all(Array.from({ length: 100 }, () => open(text)))
  const started = performance.now()
  expect(await ask('/', { authorization: 'good' })).toBe(200)
  expect(await ask('/page')).toBe(200)
  expect(performance.now() - started).toBeLessThan(5_000)
  await waitFor('those that gave way to be gone', async () => (await connections()) <= MOST)
  expect(stream.destroyed).toBe(false)
})

it('turns away a new connection, not one at work, when all are at work', async () => {
  const streams = await Promise.all(Array.from({ length: MOST }, () => openStream()))
  await expect(openStream()).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) })
  expect(streams.filter(({ destroyed }) => destroyed)).toEqual([])
  streams[0]!.destroy()
  await waitFor('a slot', async () => (await ask('/', { authorization: 'good' }).catch(() => 0)) === 200)
})
