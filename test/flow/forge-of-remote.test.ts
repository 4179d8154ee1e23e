// The first hour on somebody's own remote: what `ao init` chooses, whom the commands ask, and what they report.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

const RECORDER = join(import.meta.dirname, '..', 'fixtures', 'record-fetch.mjs')

let world: AoWorld
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld({ config: '' })
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

const record = () => join(world.temp.home, 'asked')
function recorded(env: NodeJS.ProcessEnv) {
  // With a proxy another fetch than node's own is used.
  const direct = Object.fromEntries(
    ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy', 'SSL_CERT_FILE'].map((name) => [name, undefined]),
  )
  return { env: { ...direct, NODE_OPTIONS: `--import ${RECORDER}`, RECORD_FETCH: record(), ...env } }
}
function calls(): string[] {
  if (!existsSync(record())) return []
  const lines = readFileSync(record(), 'utf8').trim().split('\n')
  rmSync(record())
  return [...new Set(lines)]
}

describe('a remote on a server of one’s own', () => {
  it('is asked instead of the public host, and only with a token that is for it', async () => {
    git(world.repo, world.temp.env, 'remote', 'add', 'origin', 'https://gitlab.corp.example/grp/app.git')
    const token = { GITLAB_TOKEN: 'corp', GITHUB_TOKEN: 'public' }
    expect((await world.ao(['init', '--agent', 'demo'], recorded(token))).code).toBe(0)

    const refused = await world.ao(['issue', 'ls'], recorded(token))
    expect(refused.stderr).toContain('GITLAB_TOKEN is not sent to gitlab.corp.example')
    expect(refused.stderr).toContain('export GITLAB_HOST=gitlab.corp.example')
    expect(calls()).toEqual([])

    const named = recorded({ ...token, GITLAB_HOST: 'gitlab.corp.example' })
    expect((await world.ao(['issue', 'ls'], named)).stderr).toContain('GitLab answered 404')
    await world.ao(['doctor'], named)
    expect(calls()).toEqual(['https://gitlab.corp.example Bearer corp'])
  })

  it.each([
    ['401', 'github.com refused the token (401)'],
    ['404', 'acme/app on github.com does not exist, or the token may not see it (404)'],
  ])('doctor asks, and reports the answer %s', async (status, output) => {
    git(world.repo, world.temp.env, 'remote', 'add', 'origin', 'git@github.com:acme/app.git')
    const env = recorded({ GITHUB_TOKEN: 'old', ANSWER_STATUS: status })
    await world.ao(['init', '--agent', 'demo'], env)
    const { checks, code } = await world.json<{ checks: Array<{ level: string; name: string; detail: string }> }>(
      ['doctor'],
      env,
    )
    expect(checks.filter(({ name }) => name === 'forge of app')).toMatchObject([{ level: 'fail', detail: output }])
    expect(code).toBe(1)
    expect(calls()).toEqual(['https://api.github.com Bearer old'])
  })
})

describe('a remote that is on no forge that ao knows', () => {
  it('is reported by init, status, why and doctor', async () => {
    git(world.repo, world.temp.env, 'remote', 'add', 'origin', 'https://git.corp.example/acme/app.git')
    const init = await world.ao(['init', '--agent', 'demo'])
    expect(init.stdout).toMatch(/note: Nothing says which forge runs on git\.corp\.example/)
    const output = 'app has no forge, so that its pull requests are not followed: ao doctor says what to do'
    expect((await world.ao(['status'])).stdout).toContain(output)
    expect((await world.json(['status'])).notices).toEqual([output])
    const { checks } = await world.json<{ checks: unknown[] }>(['doctor'])
    expect(checks).toContainEqual({
      level: 'warn',
      name: 'forge of app',
      detail: expect.stringContaining('nothing says which forge runs on git.corp.example (the remote origin)'),
      fix: expect.stringContaining('or to local to keep pull requests on this machine'),
    })
    expect((await world.ao(['init', '--force', '--forge', 'local', '--agent', 'demo'])).code).toBe(0)
    expect((await world.json(['status'])).notices).toEqual([])
  })
})
