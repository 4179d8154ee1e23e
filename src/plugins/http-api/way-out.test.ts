import { expect, it } from 'vitest'
import { isDirect } from './way-out.ts'

it.each<[string, string, boolean]>([
  ['https://api.github.com/x', 'github.com', true],
  ['https://api.github.com/x', '.github.com', true],
  ['https://api.github.com/x', '*.github.com', true],
  ['https://notgithub.com/x', 'github.com', false],
  ['https://git.corp:8443/x', 'git.corp:8443', true],
  ['https://git.corp/x', 'git.corp:8443', false],
  ['https://git.corp/x', 'git.corp:443', true],
  ['http://127.0.0.1:3000/x', 'other, 127.0.0.1', true],
  ['http://[::1]:3000/x', '::1', true],
  ['https://anything/x', '*', true],
  ['https://anything/x', '', false],
])('%s is exempt by NO_PROXY=%s: %s', (url, noProxy, direct) => {
  expect(isDirect(new URL(url), noProxy)).toBe(direct)
})
