import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { acceptsEncoding, sendJson } from './exchange.ts'

describe('acceptsEncoding', () => {
  it.each([
    ['gzip, deflate, br, zstd', true],
    ['GZIP;q=0.5', true],
    ['deflate, gzip;q=0', false],
    ['gzip;q=0.000', false],
    ['*', false],
    ['x-gzip-not', false],
    ['', false],
    [undefined, false],
  ])('takes %j as gzip: %j', (header, isAccepted) => {
    expect(acceptsEncoding({ headers: { 'accept-encoding': header } }, 'gzip')).toBe(isAccepted)
  })
})

describe('a JSON answer', () => {
  let server: Server
  afterEach(() => new Promise((resolve) => server.close(resolve)))

  async function answer(value: unknown, accepted: string) {
    server = createServer((_, response) => sendJson(response, 201, value))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const headers = { 'accept-encoding': accepted, connection: 'close' }
    const response = await fetch(`http://127.0.0.1:${port}`, { headers })
    const { status } = response
    return { status, encoding: response.headers.get('content-encoding'), value: await response.json() }
  }

  const LONG = { text: 'é many words '.repeat(500) }

  it.each([
    ['is compressed for who accepts it', LONG, 'gzip', 'gzip'],
    ['is sent as it is to others', LONG, 'identity', null],
    ['is sent as it is when it is short', { text: 'short' }, 'gzip', null],
  ])('%s', async (_, value, accepted, encoding) => {
    expect(await answer(value, accepted)).toEqual({ status: 201, encoding, value })
  })
})
