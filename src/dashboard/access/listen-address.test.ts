import { describe, expect, it } from 'vitest'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { hostNames, listenAddress, ownOrigin } from './listen-address.ts'

const TOKEN = 'a-token-that-is-long-enough'
const config = (dashboard?: object, port = 3000) => ({ port, dashboard }) as unknown as OrchestratorConfig

describe('the address', () => {
  it.each<[object | undefined, object]>([
    [undefined, { host: '127.0.0.1', port: 3000 }],
    [{ host: '::1' }, { host: '::1', port: 3000 }],
    [
      { host: '0.0.0.0', token: TOKEN },
      { host: '0.0.0.0', port: 3000 },
    ],
  ])('of %j is %j', (dashboard, address) => {
    expect(listenAddress(config(dashboard))).toEqual(address)
  })

  it.each<[object, string]>([
    [{ host: '0.0.0.0' }, 'CONFIG_INVALID'],
    [{ host: '192.168.1.7' }, 'CONFIG_INVALID'],
    [{ host: 'box.lan', token: 'short' }, 'CONFIG_INVALID'],
    [{ token: 'short' }, 'CONFIG_INVALID'],
    [{ url: 'ao.example.com' }, 'CONFIG_INVALID'],
    [{ url: 'https://me@ao.example.com' }, 'CONFIG_INVALID'],
    [{ url: 'https://ao.example.com/?q' }, 'CONFIG_INVALID'],
    [{ url: 'http://ao.example.com' }, 'CONFIG_INVALID'],
    [{ url: 'http://8.8.8.8:3000' }, 'CONFIG_INVALID'],
    [{ url: 'http://100.128.0.1' }, 'CONFIG_INVALID'],
    [{ url: 'http://[2001:db8::1]' }, 'CONFIG_INVALID'],
    [{ url: 'http://10.example.com' }, 'CONFIG_INVALID'],
  ])('is refused for %j', (dashboard, code) => {
    expect(() => listenAddress(config(dashboard))).toThrow(expect.objectContaining({ code }))
  })
})

describe('the names', () => {
  it('are those of this machine with exactly this port', () => {
    expect([...hostNames(config(), 3000)]).toEqual(['localhost:3000', '127.0.0.1:3000', '[::1]:3000'])
    expect(hostNames(config(), 80).has('localhost')).toBe(true)
  })

  it.each([
    'https://ao.example.com',
    'http://100.100.1.2:3000',
    'http://192.168.1.7:3000',
    'http://[fd00::7]:3000',
    'http://box:3000',
    'http://box.tail1234.ts.net',
  ])('include %s as the address for phones', (url) => {
    expect(listenAddress(config({ url }))).toMatchObject({ host: '127.0.0.1' })
    expect(hostNames(config({ url }), 3000).has(new URL(url).host)).toBe(true)
  })

  it('are also those that the configuration allows, behind a proxy too', () => {
    const names = hostNames(config({ host: '192.168.1.7', token: TOKEN, allowedHosts: ['Box.lan'] }), 3000)
    for (const name of ['192.168.1.7:3000', 'box.lan', 'box.lan:3000']) expect(names.has(name)).toBe(true)
    expect(names.has('0.0.0.0:3000')).toBe(false)
  })

  it.each([
    [undefined, 'http://localhost:3000'],
    [{ host: '0.0.0.0' }, 'http://localhost:3000'],
    [{ host: '192.168.1.7' }, 'http://192.168.1.7:3000'],
    [{ host: 'fd00::7' }, 'http://[fd00::7]:3000'],
  ])('for a person with %j: %s', (dashboard, origin) => {
    expect(ownOrigin(config(dashboard), 3000)).toBe(origin)
  })
})
