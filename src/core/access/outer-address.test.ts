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
  expect(choose('tailscale', MESH.slice(0, 4))).toMatchObject({ hint: expect.stringContaining('tailscale up') })
})

it('an address of a private network is fine as it is, any other only with TLS', () => {
  expect(choose('192.168.1.7')).toEqual({ host: '192.168.1.7' })
  expect(choose('8.8.4.4')).toMatchObject({ problem: expect.stringContaining('without TLS') })
  expect(choose('8.8.4.4', HOME, true)).toEqual({ host: '8.8.4.4' })
})

it.each([
  '0.0.0.0',
  '::',
  '127.0.0.1',
  '::1',
  'localhost',
  'box.lan',
  '10.0.0.9',
  '',
  '169.254.1.1',
  '192.168.1.7:3000',
])('%j is refused, with TLS too, and the hint says what to write', (listen) => {
  expect(choose(listen, HOME, true)).toMatchObject({
    problem: expect.any(String),
    hint: expect.stringMatching(/192|--/),
  })
})
