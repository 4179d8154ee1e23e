import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createRawServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { askSocket, type Question } from './ask-socket.ts'

let directory: string
let path: string
let server: Server
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agh-ask-'))
  path = join(directory, 'sock')
})
afterEach(() => {
  server?.close()
  rmSync(directory, { recursive: true, force: true })
})

const listen = (handle: RequestListener) =>
  new Promise<void>((resolve) => {
    server = createServer(handle).listen(path, resolve)
  })
const ask = (question: Partial<Question> = {}) =>
  askSocket(path, { method: 'GET', path: '/', headers: {}, body: undefined, signal: undefined, ...question })

it('sends method, path, headers and body, and gives status and text', async () => {
  await listen(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    response.writeHead(201)
    response.end(JSON.stringify([request.method, request.url, request.headers['x-who'], body]))
  })
  const answer = await ask({ method: 'POST', path: '/a?b=c', headers: { 'x-who': 'me' }, body: 'grüße' })
  expect(answer.status).toBe(201)
  expect(JSON.parse(answer.text)).toEqual(['POST', '/a?b=c', 'me', 'grüße'])
})

it('reads an answer that comes in pieces of unknown length', async () => {
  const piece = 'ä'.repeat(50_000)
  await listen((_, response) => {
    response.write(piece)
    setImmediate(() => response.end(piece))
  })
  expect((await ask()).text).toBe(piece + piece)
})

it('does not take half an answer for a whole one', async () => {
  await listen((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half')
    setImmediate(() => response.destroy())
  })
  await expect(ask()).rejects.toThrow('before its answer was complete')
})

it('rejects what is not HTTP, what gets no response, and what is aborted', async () => {
  await expect(ask()).rejects.toMatchObject({ code: 'ENOENT' })
  const raw = createRawServer((socket) => socket.end('hello'))
  await new Promise<void>((resolve) => raw.listen(path, resolve))
  await expect(ask()).rejects.toThrow('before its answer was complete')
  raw.close()
  await listen(() => undefined)
  const call = new AbortController()
  const waiting = ask({ signal: call.signal })
  call.abort(new Error('called off'))
  await expect(waiting).rejects.toThrow('called off')
})

it('lets no input smuggle a second request into the first', async () => {
  await expect(ask({ path: '/a\r\nx: y' })).rejects.toThrow('line breaks')
  await expect(ask({ headers: { a: 'b\r\nc: d' } })).rejects.toThrow('line breaks')
})
