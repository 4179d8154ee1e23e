import { expect, it } from 'vitest'
import { areAllPublic, endpointProblem } from './check-endpoint.ts'

it.each([
  'https://fcm.googleapis.com/fcm/send/x',
  'https://updates.push.services.mozilla.com/wpush/v2/x',
  'https://8.8.8.8/x',
  'https://[2606:4700::1111]/x',
  `https://push.example.com/${'x'.repeat(2_000 - 25)}`,
])('%s may be used', (url) => expect(endpointProblem(url)).toBeNull())

const longest = `https://push.example.com/${'x'.repeat(2_000 - 25)}`

it.each([
  ['http://fcm.googleapis.com/x', 'https'],
  ['https://me:word@fcm.googleapis.com/x', 'password'],
  ['https://me@fcm.googleapis.com/x', 'password'],
  ['https://:word@fcm.googleapis.com/x', 'password'],
  ['https://127.0.0.1/x', 'internet'],
  ['https://127.1/x', 'internet'],
  ['https://0x7f000001/x', 'internet'],
  ['https://2130706433/x', 'internet'],
  ['https://[::1]/x', 'internet'],
  ['https://[::ffff:10.0.0.1]/x', 'internet'],
  ['https://169.254.169.254/latest/meta-data', 'internet'],
  ['https://10.0.0.1:8443/x', 'internet'],
  ['https://localhost/x', 'internet'],
  ['https://router/x', 'internet'],
  ['https://nas.local/x', 'internet'],
  ['https://metadata.google.internal/x', 'internet'],
  ['https://metadata.google.internal./x', 'internet'],
  ['file:///etc/passwd', 'https'],
  ['nothing', 'address'],
  ['', 'address'],
  [`${longest}x`, 'address'],
])('%s is refused for its %s', (url, word) => expect(endpointProblem(url)).toContain(word))

it('a name that leads home is refused, also when it leads elsewhere too', () => {
  expect([['8.8.8.8'], ['8.8.8.8', '2606:4700::1111']].map(areAllPublic)).toEqual([true, true])
  for (const addresses of [[], ['127.0.0.1'], ['8.8.8.8', '192.168.1.1'], ['fe80::1'], ['not an address']])
    expect(areAllPublic(addresses)).toBe(false)
})
