import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTempHome } from '../../../test/support/temp-home.ts'
import { forgeRow } from './forge-address.ts'
import { createTokenSource } from './read-token.ts'

const GITHUB = { apiUrl: 'https://api.github.com', agreed: false }

describe('the token of gh', () => {
  function fakeGh(script: string, address = GITHUB, more: NodeJS.ProcessEnv = {}) {
    const temp = createTempHome()
    onTestFinished(async () => {
      expect(await temp.cleanup()).toEqual([])
    })
    const bin = join(temp.home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\necho "$@" >> "$HOME/asked"\n${script}\n`)
    chmodSync(join(bin, 'gh'), 0o755)
    const clock = { now: 0 }
    const env = { ...temp.env, PATH: `${bin}:${temp.env.PATH}`, ...more }
    const source = createTokenSource({
      forge: forgeRow('github'),
      address,
      env,
      errorCode: 'SCM_FAILED',
      now: () => clock.now,
    })
    const calls = () => readFileSync(join(temp.home, 'asked'), 'utf8').trim().split('\n')
    return { source, clock, calls }
  }

  it('is the one that gh keeps for this host, whatever tokens the environment has for others', async () => {
    const own = { apiUrl: 'https://git.example.org/api/v3', agreed: false }
    const env = { GITHUB_TOKEN: 'public', GH_ENTERPRISE_TOKEN: 'corp', GH_HOST: 'other.example.org' }
    const { source, calls } = fakeGh('echo "kept${GITHUB_TOKEN}${GH_ENTERPRISE_TOKEN}"', own, env)
    expect(await source.read()).toBe('kept')
    expect(calls()).toEqual(['auth token --hostname git.example.org'])
  })

  it('is requested once, however often and concurrently it is needed', async () => {
    const { source, calls } = fakeGh('echo secret')
    expect(await Promise.all([source.read(), source.read(), source.read()])).toEqual(['secret', 'secret', 'secret'])
    expect(await source.read()).toBe('secret')
    expect(calls()).toEqual(['auth token --hostname github.com'])
  })

  it('is requested again minutes after GitHub refused it, not immediately', async () => {
    const { source, calls, clock } = fakeGh('echo secret')
    source.forget(await source.read())
    await source.read()
    expect(calls()).toHaveLength(1)
    clock.now += 5 * 60_000
    await source.read()
    await source.read()
    expect(calls()).toHaveLength(2)
  })

  it('says what to do when there is none, and does not start a process each time it is missing', async () => {
    const { source, calls, clock } = fakeGh('echo "no oauth token" >&2; exit 1')
    const error = { code: 'SCM_FAILED', hint: 'Set GITHUB_TOKEN, or log in with: gh auth login' }
    await expect(source.read()).rejects.toMatchObject(error)
    await expect(source.read()).rejects.toMatchObject(error)
    expect(calls()).toHaveLength(1)
    clock.now += 5 * 60_000
    await expect(source.read()).rejects.toMatchObject(error)
    expect(calls()).toHaveLength(2)
  })
})
