import { expect, it } from 'vitest'
import { chooseOuterAddress, type NetworkAddress } from './outer-address.ts'

const HOME: NetworkAddress[] = [
  { name: 'lo', address: '127.0.0.1' },
  { name: 'eth0', address: '192.168.1.7' },
  { name: 'eth1', address: '8.8.4.4' },
]
const MESH: NetworkAddress[] = [
  ...HOME,
  { name: 'docker0', address: '100.64.0.1' },
  { name: 'tailscale0', address: 'fd7a:115c:a1e0::7' },
  { name: 'tailscale0', address: '100.101.102.103' },
]
const choose = (listen: string, addresses = MESH, hasTls = false) => chooseOuterAddress({ listen, hasTls, addresses })

it('Tailscale is found by its addresses, and a bridge of containers is not taken for it', () => {
  expect(choose('tailscale')).toEqual({ host: '100.101.102.103' })
  expect(choose('tailscale', MESH.slice(0, -1))).toEqual({ host: 'fd7a:115c:a1e0::7' })
  expect(choose('tailscale', [...HOME, { name: 'utun4', address: '100.90.1.2' }])).toEqual({ host: '100.90.1.2' })
  const beside = [...HOME, { name: 'utun4', address: 'fd7a:115c:a1e0::8' }, { name: 'utun4', address: '100.90.1.2' }]
  expect(choose('tailscale', [...beside, { name: 'tailscale0', address: '100.90.1.3' }])).toEqual({
    host: '100.90.1.3',
  })
  expect(choose('tailscale', beside)).toEqual({ host: '100.90.1.2' })
  expect(choose('tailscale', MESH.slice(0, 4))).toEqual({
    problem: expect.stringContaining('no address'),
    hint: expect.stringContaining('tailscale up'),
  })
})

it('an address of a private network is fine as it is, any other only with TLS', () => {
  expect(choose('192.168.1.7')).toEqual({ host: '192.168.1.7' })
  expect(choose('8.8.4.4')).toEqual({
    problem: expect.stringContaining('without TLS'),
    hint: expect.stringContaining('--tls-cert'),
  })
  expect(choose('8.8.4.4', HOME, true)).toEqual({ host: '8.8.4.4' })
})

it.each([
  ['0.0.0.0', 'not one address', 'Name one address: 192.168.1.7, 8.8.4.4'],
  ['::', 'not one address', 'Name one'],
  ['127.0.0.1', 'this machine', '--listen tailscale'],
  ['::1', 'this machine', '--listen tailscale'],
  ['localhost', 'not an IP address', 'Name one address: 192.168.1.7, 8.8.4.4'],
  ['box.lan', 'not an IP address', 'Name one'],
  ['10.0.0.9', 'does not have', 'It has: 192.168.1.7, 8.8.4.4'],
  ['', 'not an IP address', 'Name one'],
  ['169.254.1.1', 'not one address', 'Name one'],
  ['192.168.1.7:3000', 'not an IP address', 'Name one'],
])('%j is refused, with TLS too: it is %s, and the hint says what to write', (listen, problem, hint) => {
  expect(choose(listen, HOME, true)).toEqual({
    problem: expect.stringContaining(problem),
    hint: expect.stringContaining(hint),
  })
})

it('a machine that others cannot reach has no address to name', () => {
  expect(choose('10.0.0.9', [{ name: 'lo', address: '127.0.0.1' }])).toMatchObject({ hint: 'It has: none' })
})
