import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTempHome } from '../../../test/support/temp-home.ts'
import { createTokenSource, detectToken, tokenFromEnvironment } from './read-token.ts'

const GITHUB = 'https://api.github.com'
const OWN = 'https://git.example.org/api/v3'

describe('the token from the environment', () => {
  it.each<[string, NodeJS.ProcessEnv, string | null]>([
    [GITHUB, { GITHUB_TOKEN: 'a', GH_TOKEN: 'b' }, 'a'],
    [GITHUB, { GITHUB_TOKEN: ' ', GH_TOKEN: ' b\n' }, 'b'],
    [GITHUB, { GH_ENTERPRISE_TOKEN: 'c' }, null],
    ['https://api.acme.ghe.com', { GH_TOKEN: 'b' }, 'b'],
    [OWN, { GITHUB_TOKEN: 'a', GH_TOKEN: 'b' }, null],
    [OWN, { GITHUB_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'c' }, 'c'],
    [OWN, { GITHUB_TOKEN: 'a', GITHUB_API_URL: OWN }, 'a'],
    ['http://api.github.com', { GITHUB_TOKEN: 'a' }, null],
    ['https://api.github.com.evil.example', { GITHUB_TOKEN: 'a' }, null],
    ['http://127.0.0.1:4001', { GITHUB_TOKEN: 'a' }, 'a'],
  ])('for %s with %j is %j', (apiUrl, env, expected) => {
    expect(tokenFromEnvironment({ apiUrl, env })).toBe(expected)
  })
})

describe('the token of gh', () => {
  function fakeGh(script: string) {
    const temp = createTempHome()
    onTestFinished(async () => {
      expect(await temp.cleanup()).toEqual([])
    })
    const bin = join(temp.home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\necho "$@" >> "$HOME/asked"\n${script}\n`)
    chmodSync(join(bin, 'gh'), 0o755)
    const clock = { now: 0 }
    const env = { ...temp.env, PATH: `${bin}:${temp.env.PATH}` }
    const source = createTokenSource({ env, apiUrl: GITHUB, errorCode: 'SCM_FAILED', now: () => clock.now })
    const asked = () => readFileSync(join(temp.home, 'asked'), 'utf8').trim().split('\n')
    return { source, clock, asked, detected: () => detectToken({ env }) }
  }

  it('is there only when gh is logged in', async () => {
    expect(await fakeGh('echo secret').detected()).toEqual({ ok: true, detail: 'the token of gh is used' })
    expect(await fakeGh('echo no oauth token >&2; exit 1').detected()).toMatchObject({
      ok: false,
      detail: 'no token, and gh is not logged in',
      fix: expect.stringContaining('gh auth login'),
    })
  })

  it('is asked for once, however often and at once it is needed', async () => {
    const { source, asked } = fakeGh('echo secret')
    expect(await Promise.all([source.read(), source.read(), source.read()])).toEqual(['secret', 'secret', 'secret'])
    expect(await source.read()).toBe('secret')
    expect(asked()).toEqual(['auth token --hostname github.com'])
  })

  it('is asked for again minutes after GitHub refused it, not at once', async () => {
    const { source, asked, clock } = fakeGh('echo secret')
    source.forget(await source.read())
    await source.read()
    expect(asked()).toHaveLength(1)
    clock.now += 5 * 60_000
    await source.read()
    await source.read()
    expect(asked()).toHaveLength(2)
  })

  it('says what to do when there is none, and starts no process for each time it is missing', async () => {
    const { source, asked, clock } = fakeGh('echo "no oauth token" >&2; exit 1')
    const error = { code: 'SCM_FAILED', hint: 'Set GITHUB_TOKEN, or log in with: gh auth login' }
    await expect(source.read()).rejects.toMatchObject(error)
    await expect(source.read()).rejects.toMatchObject(error)
    expect(asked()).toHaveLength(1)
    clock.now += 5 * 60_000
    await expect(source.read()).rejects.toMatchObject(error)
    expect(asked()).toHaveLength(2)
  })
})
