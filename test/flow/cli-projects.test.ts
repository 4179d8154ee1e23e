// Several projects in one configuration, and twenty sessions at once.
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionJson } from '../../src/cli/print/session-json.ts'
import { createFeedbackStore } from '../../src/store/feedback/feedback.ts'
import { createPaths } from '../../src/store/paths.ts'
import { createRepo } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

const CONFIG = `defaults:
  agent: demo
projects:
  app:
    path: .
  api:
    path: ../api
    sessionPrefix: api
  myapp:
    path: ../web
    sessionPrefix: web
`

let world: AoWorld
beforeAll(async () => {
  await buildAo()
  world = createAoWorld({ config: CONFIG })
  for (const name of ['api', 'web']) createRepo(join(world.temp.home, name), world.temp.env)
  // Projects outside of the configuration's own directory need consent.
  await world.agree()
})
afterAll(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const env = () => ({ AO_CONFIG_PATH: join(world.repo, 'agent-orchestrator.yaml') })

describe('several projects', () => {
  it('S0.83 the prefixes app, api and web give app-1, api-1 and web-1', async () => {
    const outputs = await Promise.all(
      ['app', 'api', 'myapp'].map((id) => world.ao(['spawn', '-p', id, '--prompt', 'demo: say hi'])),
    )
    const ids = outputs.map(({ stdout }) => stdout.trimEnd().split('\n').at(-1))
    expect(ids).toEqual(['SESSION=app-1', 'SESSION=api-1', 'SESSION=web-1'])
  })

  it('S0.55 ls shows all projects, or one', async () => {
    const all = await world.json<{ sessions: SessionJson[] }>(['session', 'ls'])
    expect(all.sessions.map(({ id }) => id)).toEqual(['api-1', 'app-1', 'web-1'])
    const one = await world.json<{ sessions: SessionJson[] }>(['session', 'ls', '-p', 'api'])
    expect(one.sessions.map(({ id }) => id)).toEqual(['api-1'])
    expect((await world.ao(['session', 'ls'])).stdout).toMatch(/^SESSION +PROJECT +STATUS/)
    expect((await world.ao(['status', '-p', 'api'])).stdout).not.toContain('app-1')
  })

  it('takes the project of the directory, of a worktree, and of AO_PROJECT_ID', async () => {
    const worktree = join(world.temp.home, '.worktrees', 'api', 'api-1')
    const places = [
      { cwd: join(world.temp.home, 'web'), env: env() },
      { cwd: worktree, env: env() },
      { cwd: world.temp.home, env: { ...env(), AO_PROJECT_ID: 'app' } },
    ]
    const outputs = await Promise.all(places.map((place) => world.ao(['spawn', '--prompt', 'demo: say hi'], place)))
    const ids = outputs.map(({ stdout, stderr }) => stdout.trimEnd().split('\n').at(-1) || stderr)
    expect(ids).toEqual(['SESSION=web-2', 'SESSION=api-2', 'SESSION=app-2'])
  })

  it('asks which one where nothing says so', async () => {
    mkdirSync(join(world.temp.home, 'elsewhere'))
    const { code, stderr } = await world.ao(['spawn', '1'], { cwd: join(world.temp.home, 'elsewhere'), env: env() })
    expect(code).toBe(2)
    expect(stderr).toBe(
      'error: Which project? The configuration has: app, api, myapp\nhint: Name one with: --project <id>\n',
    )
  })

  it('S1.103 lists the feedback of project myapp', async () => {
    const paths = createPaths({ configPath: env().AO_CONFIG_PATH, home: world.temp.home, env: world.temp.env })
    const store = createFeedbackStore({ paths: paths.project('myapp'), clock: { now: () => new Date() } })
    const { id } = await store.add({
      tool: 'bug_report',
      title: 'ao send said nothing',
      body: 'It was\nsilent.',
      session: 'web-1',
      source: 'ao send',
      confidence: 0.9,
      evidence: ['the output was empty'],
    })
    const base = join(world.temp.home, '.agent-orchestrator')
    const directory = readdirSync(base).find((name) => name.endsWith('-myapp'))!
    expect(readdirSync(join(base, directory, 'feedback-reports'))).toContain(`${id}.kv`)
    expect((await world.ao(['feedback', 'ls'])).stdout).toMatch(
      new RegExp(`^${id} +bug +\\d+s +web-1 +ao send said nothing`, 'm'),
    )
    expect((await world.json<{ reports: unknown[] }>(['feedback', 'ls', '-p', 'app'])).reports).toEqual([])
    const shown = await world.ao(['feedback', 'show', id.slice(-8)])
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('It was\nsilent.') })
    expect(await world.ao(['feedback', 'show', 'none'])).toMatchObject({ code: 2 })
  })
})

describe('a batch', () => {
  it('starts twenty sessions, each with its own branch and worktree, and reports every one', async () => {
    const issues = Array.from({ length: 20 }, (_, index) => String(100 + index))
    const { code, stdout } = await world.ao(['batch-spawn', '-p', 'app', ...issues, '#100', '--prompt', 'demo: say hi'])
    expect(stdout).toContain('Created 20 sessions, skipped 1, failed 0.')
    expect(code).toBe(0)
    const { sessions } = await world.json<{ sessions: SessionJson[] }>(['session', 'ls', '-p', 'app'])
    const batch = sessions.filter(({ issueId }) => issueId !== null)
    expect(new Set(batch.map(({ branch }) => branch)).size).toBe(20)
    expect(new Set(batch.map(({ workspacePath }) => workspacePath)).size).toBe(20)
    expect(batch.every(({ status }) => status === 'working')).toBe(true)
  })

  it('skips what has a running session, starts the rest, and fails when one failed', async () => {
    const report = await world.json<{ created: unknown[]; skipped: unknown[]; failed: unknown[] }>([
      ...['batch-spawn', '-p', 'app', '101', 'api/7', '--agent', 'demo', '--prompt', 'demo: say hi'],
    ])
    expect(report).toMatchObject({
      code: 0,
      created: [{ issue: '7', session: { projectId: 'api' } }],
      skipped: [{ issue: '101', reason: expect.stringMatching(/^session app-\d+ works on it$/) }],
      failed: [],
    })
    const failing = await world.json(['batch-spawn', '-p', 'app', '900', '--agent', 'nobody'])
    expect(failing).toMatchObject({
      code: 1,
      created: [],
      failed: [{ issue: '900', error: { code: 'PLUGIN_NOT_FOUND' } }],
    })
  })
})
