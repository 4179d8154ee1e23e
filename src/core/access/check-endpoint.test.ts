import { expect, it } from 'vitest'
import { areAllPublic, endpointProblem } from './check-endpoint.ts'

it.each([
  'https://fcm.googleapis.com/fcm/send/x',
  'https://updates.push.services.mozilla.com/wpush/v2/x',
  'https://8.8.8.8/x',
])('%s may be used', (url) => expect(endpointProblem(url)).toBeNull())

it.each([
  'http://fcm.googleapis.com/x',
  'https://me:word@fcm.googleapis.com/x',
  'https://127.0.0.1/x',
  'https://127.1/x',
  'https://0x7f000001/x',
  'https://2130706433/x',
  'https://[::1]/x',
  'https://[::ffff:10.0.0.1]/x',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1:8443/x',
  'https://localhost/x',
  'https://router/x',
  'https://nas.local/x',
  'https://metadata.google.internal/x',
  'https://metadata.google.internal./x',
  'file:///etc/passwd',
  'nothing',
  '',
  `https://push.example.com/${'x'.repeat(2_000)}`,
])('%s is refused', (url) => expect(endpointProblem(url)).not.toBeNull())

it('a name that leads home is refused, also when it leads elsewhere too', () => {
  expect(areAllPublic(['8.8.8.8', '2606:4700::1111'])).toBe(true)
  for (const addresses of [[], ['127.0.0.1'], ['8.8.8.8', '192.168.1.1'], ['fe80::1'], ['not an address']])
    expect(areAllPublic(addresses)).toBe(false)
})
