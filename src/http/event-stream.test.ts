import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createSignal } from '../lib/clock.ts'
import { openEventStream, writeToStream } from './event-stream.ts'

let close: () => void = () => undefined
afterEach(() => close())

/** A stream and its reader, which reads nothing until asked to. */
async function open(): Promise<{ response: ServerResponse; reader: IncomingMessage }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.close()
    server.closeAllConnections()
  }
  const responses = new Promise<ServerResponse>((resolve) => server.on('request', (_, response) => resolve(response)))
  const reading = new Promise<IncomingMessage>((resolve) => {
    get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, resolve)
  })
  const response = await responses
  openEventStream(response)
  return { response, reader: await reading }
}

const MUCH = `data: ${'x'.repeat(20 * 1024 * 1024)}\n\n`

it('waits for a slow reader and leaves nothing behind on the line', async () => {
  const { response, reader } = await open()
  const signal = createSignal()
  const written = writeToStream(response, MUCH, signal)
  reader.resume()
  await written
  expect(response.destroyed).toBe(false)
  expect(response.listenerCount('drain')).toBe(0)
})

it('drops a reader that receives nothing', async () => {
  const { response, reader } = await open()
  reader.on('error', () => undefined)
  const signal = createSignal()
  response.once('close', signal.raise)
  await writeToStream(response, MUCH, signal, 300)
  expect(response.destroyed).toBe(true)
})

it.each([
  ['as one text', 'x'.repeat(100 * 1024)],
  ['in parts', Array.from({ length: 50 }, () => 'x'.repeat(2 * 1024))],
])('writes page after page %s to a reader who keeps up, and waits for nothing', async (_how, page) => {
  const { response, reader } = await open()
  reader.resume()
  const signal = createSignal()
  const began = performance.now()
  for (let count = 0; count < 200; count++) await writeToStream(response, page, signal)
  expect(performance.now() - began).toBeLessThan(10_000)
})
