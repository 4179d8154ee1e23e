// Seed 002, spawn: the steps, their order, and that a failure leaves nothing behind.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import { readMetadataRaw } from '../../src/store/session/metadata-files.ts'
import { createFakeWorld, type FakeOptions, type FakeWorld } from './fake-world.ts'

let world: FakeWorld

async function given(options: FakeOptions = {}): Promise<FakeWorld> {
  world = await createFakeWorld(options)
  return world
}

afterEach(() => world.cleanup())

const sessionsOnDisk = (): string[] =>
  existsSync(world.paths.sessions)
    ? readdirSync(world.paths.sessions).filter((name) => !name.startsWith('.') && name !== 'archive')
    : []

describe('spawn', () => {
  it('S2.11 S0.1 S0.6 resolves to the new session with all its metadata', async () => {
    const { manager } = await given()
    const session = await manager.spawn({ projectId: 'my-app', issueId: 'INT-1234', prompt: 'Fix the login bug' })
    expect(session).toMatchObject({
      id: 'my-app-1',
      projectId: 'my-app',
      status: 'working',
      branch: 'feat/INT-1234',
      issueId: 'INT-1234',
      pr: null,
      runtimeHandle: { runtimeName: 'fake' },
    })
    expect(session.createdAt).toBeInstanceOf(Date)
    expect(session.metadata).toMatchObject({ agent: 'fake', role: 'worker', userPrompt: 'Fix the login bug' })
  })

  it('S2.19–S2.25 goes through the steps in their order', async () => {
    const { manager, calls, issues } = await given({ projectYaml: 'tracker: fake' })
    issues.set('INT-1', {})
    await manager.spawn({ projectId: 'my-app', issueId: 'INT-1' })
    expect(calls).toEqual(['tracker.getIssue', 'workspace.create', 'agent.prepare', 'runtime.create'])
  })

  it('S2.16 refuses an unknown project before anything is created', async () => {
    const { manager, calls } = await given()
    await expect(manager.spawn({ projectId: 'nope' })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' })
    expect(calls).toEqual([])
    expect(sessionsOnDisk()).toEqual([])
  })

  it('S2.18 gives parallel spawns distinct ids', async () => {
    const { manager, another } = await given()
    const others = [manager, another(), another(), another()]
    const sessions = await Promise.all(
      Array.from({ length: 20 }, (_, n) => others[n % 4]!.spawn({ projectId: 'my-app', prompt: String(n) })),
    )
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(20)
  })

  it('starts nothing for an issue that a live session works on, and names it', async () => {
    const { manager } = await given()
    const first = await manager.spawn({ projectId: 'my-app', issueId: 'INT-1' })
    const task = { projectId: 'my-app', issueId: '#int-1' }
    for (const start of [manager.spawn, manager.planSpawn])
      await expect(start(task, { second: 'refuse' })).rejects.toMatchObject({
        code: 'ISSUE_TAKEN',
        message: expect.stringContaining('my-app-1 works on #int-1 already'),
        hint: expect.stringContaining('ao session attach my-app-1'),
        details: { session: 'my-app-1', sessions: ['my-app-1'], attach: 'ao session attach my-app-1' },
      })
    expect(sessionsOnDisk()).toEqual(['my-app-1'])
    const named = await manager.spawn({ ...task, branch: 'mine' }, { second: 'refuse' })
    const again = await manager.spawn({ ...task, issueId: 'INT-1' }, { second: 'start' })
    expect([named.branch, again.branch]).toEqual(['mine', 'feat/INT-1-my-app-3'])
    for (const { id } of [first, named, again]) await manager.kill(id)
    expect((await manager.spawn({ ...task, branch: 'free' }, { second: 'refuse' })).id).toBe('my-app-4')
  })

  it('S2.22 S0.11 has a spawning record from the reservation on', async () => {
    let seen: Record<string, string> | null = null
    const { manager } = await given({
      workspace: {
        async create() {
          seen = readMetadataRaw(world.paths.sessions, 'my-app-1')
          throw new Error('enough seen')
        },
      },
    })
    await expect(manager.spawn({ projectId: 'my-app' })).rejects.toThrow('enough seen')
    expect(seen).toMatchObject({ status: 'spawning', project: 'my-app', branch: 'session/my-app-1' })
  })

  it('S2.20 S2.13 gives the agent user prompt, issue context and project rules', async () => {
    const { manager, issues, agentLaunches } = await given({ projectYaml: 'tracker: fake' })
    issues.set('INT-1234', { title: 'Login broken', description: 'It says 500', author: 'ann' })
    await manager.spawn({ projectId: 'my-app', issueId: 'INT-1234', prompt: 'Add TypeScript types' })
    const prompt = agentLaunches[0]!.prompt!
    for (const part of ['Login broken', 'It says 500', 'ann', 'Always write tests.', 'Add TypeScript types']) {
      expect(prompt).toContain(part)
    }
  })

  it('S1.82 S1.83 S1.84 sets AO_SESSION, AO_DATA_DIR and PATH for the agent', async () => {
    const { manager, launches, paths, temp } = await given()
    await manager.spawn({ projectId: 'my-app' })
    const { environment } = launches[0]!
    expect(environment).toMatchObject({ AO_SESSION: 'my-app-1', AO_DATA_DIR: paths.sessions, FAKE_AGENT: '1' })
    expect(environment.PATH!.split(':')[0]).toBe(join(temp.home, '.ao', 'bin'))
  })

  it.each([
    ['the one that is listened on', 38_717, 3_000, '38717'],
    ['the configured one while nothing listens', undefined, 3_000, '3000'],
    ['not known while nothing listens on any', undefined, 0, undefined],
  ])('S1.41 records the port of the page and its terminals: %s', async (_what, running, port, expected) => {
    world = await createFakeWorld()
    const { config, registry, env, temp } = world
    const manager = createSessionManager({
      config: { ...config, port },
      registry,
      env,
      home: temp.home,
      aoCommand: ['ao'],
      dashboardPort: () => running,
    })
    const { metadata } = await manager.spawn({ projectId: 'my-app', prompt: 'work' })
    const { dashboardPort, terminalWsPort, directTerminalWsPort } = metadata
    expect([dashboardPort, terminalWsPort, directTerminalWsPort]).toEqual([expected, expected, expected])
  })

  it('S2.23 calls the post-launch hook after the metadata is written', async () => {
    let statusThen: string | undefined
    const { manager } = await given({
      agent: {
        async postLaunchSetup(session) {
          statusThen = readMetadataRaw(world.paths.sessions, session.id)?.runtimeHandle
        },
      },
    })
    await manager.spawn({ projectId: 'my-app' })
    expect(JSON.parse(statusThen!)).toMatchObject({ runtimeName: 'fake' })
  })

  it('S2.24 S2.84 sends the prompt after launch to an agent that takes it so', async () => {
    const { manager, sent } = await given({ agent: { promptDelivery: 'post-launch' } })
    await manager.spawn({ projectId: 'my-app', prompt: 'Fix it' })
    expect(sent).toHaveLength(1)
    expect(sent[0]!.text).toContain('Fix it')
  })

  it('S2.88 stays when that prompt cannot be delivered, says so, and a later send works', async () => {
    const { manager, sent, failing } = await given({ agent: { promptDelivery: 'post-launch' } })
    failing.set('runtime.sendMessage', new Error('pane is busy'))
    const session = await manager.spawn({ projectId: 'my-app', prompt: 'Fix it' })
    expect(readMetadataRaw(world.paths.sessions, session.id)).toMatchObject({
      promptDelivered: 'no',
      status: 'working',
    })
    expect(readFileSync(world.paths.historyFile(session.id), 'utf8')).toContain('pane is busy')
    failing.clear()
    await manager.send(session.id, 'Fix it')
    expect(sent.at(-1)!.text).toBe('Fix it')
  })

  it('S2.15 runs another agent on request, and S2.16-like refuses one that does not exist', async () => {
    const { manager, calls } = await given()
    await expect(manager.spawn({ projectId: 'my-app', agent: 'no-such-agent' })).rejects.toMatchObject({
      code: 'PLUGIN_NOT_FOUND',
    })
    expect(calls).toEqual([])
    expect(sessionsOnDisk()).toEqual([])
  })
})

describe('a spawn that fails', () => {
  it.each(['workspace.create', 'agent.prepare', 'runtime.create'])(
    'S2.26 S2.27 leaves nothing after a failure at %s and throws the original error',
    async (failingStep) => {
      const { manager, failing, temp, calls } = await given()
      const original = new Error(`broken at ${failingStep}`)
      failing.set(failingStep, original)
      await expect(manager.spawn({ projectId: 'my-app' })).rejects.toBe(original)
      expect(sessionsOnDisk()).toEqual([])
      expect(readdirSync(world.paths.archive, { withFileTypes: true })).toEqual([])
      expect(existsSync(join(temp.home, 'ws', 'my-app', 'my-app-1'))).toBe(false)
      if (failingStep !== 'workspace.create') expect(calls).toContain('workspace.destroy')
    },
  )

  it('S2.26 ends the runtime when the post-launch hook fails', async () => {
    const { manager, alive, calls } = await given({
      agent: {
        async postLaunchSetup() {
          throw new Error('setup failed')
        },
      },
    })
    await expect(manager.spawn({ projectId: 'my-app' })).rejects.toThrow('setup failed')
    expect([...alive.values()]).toEqual([false])
    expect(calls.slice(-3)).toEqual(['runtime.destroy', 'workspace.snapshot', 'workspace.destroy'])
    expect(sessionsOnDisk()).toEqual([])
  })

  it('keeps a record of what it could not roll back', async () => {
    const { manager, failing } = await given()
    failing.set('runtime.create', new Error('no runtime'))
    failing.set('workspace.destroy', new Error('disk is read-only'))
    await expect(manager.spawn({ projectId: 'my-app' })).rejects.toThrow('no runtime')
    expect(readMetadataRaw(world.paths.sessions, 'my-app-1')).toMatchObject({ status: 'errored' })
    expect(readFileSync(world.paths.historyFile('my-app-1'), 'utf8')).toContain('disk is read-only')
  })

  it('S2.28 never destroys a workspace that is the project itself', async () => {
    const { manager, failing, calls, repo } = await given({
      workspace: {
        create: async (spec) => ({
          path: world.repo,
          branch: spec.branch,
          sessionId: spec.sessionId,
          projectId: spec.projectId,
          branchCreated: false,
        }),
      },
    })
    failing.set('runtime.create', new Error('no runtime'))
    await expect(manager.spawn({ projectId: 'my-app' })).rejects.toThrow('no runtime')
    expect(calls).not.toContain('workspace.destroy')
    expect(existsSync(join(repo, 'README.md'))).toBe(true)
  })
})

describe('branches and issues', () => {
  it('S2.29 S2.14 lets an explicit branch win', async () => {
    const { manager, issues } = await given({ projectYaml: 'tracker: fake' })
    issues.set('INT-1', {})
    const session = await manager.spawn({ projectId: 'my-app', issueId: 'INT-1', branch: 'feature/new-dashboard' })
    expect(session.branch).toBe('feature/new-dashboard')
  })

  it('S2.30 asks the tracker for the branch of its issue', async () => {
    const { manager, issues } = await given({ projectYaml: 'tracker: fake' })
    issues.set('INT-1', {})
    expect((await manager.spawn({ projectId: 'my-app', issueId: 'INT-1' })).branch).toBe('tracker/INT-1')
  })

  it('S2.31 S2.33 derives it from the issue id, or from the session id', async () => {
    const { manager } = await given()
    expect((await manager.spawn({ projectId: 'my-app', issueId: 'ISSUE-42' })).branch).toBe('feat/ISSUE-42')
    expect((await manager.spawn({ projectId: 'my-app' })).branch).toBe('session/my-app-2')
  })

  it('S2.34 S2.12 continues without the tracker when it knows no such issue', async () => {
    const { manager } = await given({ projectYaml: 'tracker: fake' })
    const session = await manager.spawn({ projectId: 'my-app', issueId: 'make it faster' })
    expect(session).toMatchObject({ issueId: 'make it faster', branch: 'feat/make-it-faster' })
  })

  it.each(['999', '#999', 'INT-999'])('starts nothing for an id %s that must be known and is not', async (issueId) => {
    const { manager, calls } = await given({ projectYaml: 'tracker: fake' })
    const spawning = manager.spawn({ projectId: 'my-app', issueId }, { requireIssue: true })
    await expect(spawning).rejects.toMatchObject({ code: 'ISSUE_NOT_FOUND', message: expect.stringContaining(issueId) })
    expect(calls).toEqual(['tracker.getIssue'])
    expect(sessionsOnDisk()).toEqual([])
    await manager.spawn({ projectId: 'my-app', issueId: 'make the tests faster' }, { requireIssue: true })
    expect(sessionsOnDisk()).toHaveLength(1)
  })

  it.each(['99', '#99', 'INT-7', 'acme/app#7', 'https://github.com/acme/app/issues/7'])(
    'starts nothing for the id %s in a project without a tracker',
    async (issueId) => {
      const { manager, calls } = await given()
      const refused = { code: 'ISSUE_NOT_FOUND', hint: expect.stringContaining('--prompt') }
      await expect(manager.spawn({ projectId: 'my-app', issueId }, { requireIssue: true })).rejects.toMatchObject(
        refused,
      )
      await expect(manager.planSpawn({ projectId: 'my-app', issueId }, { requireIssue: true })).rejects.toMatchObject(
        refused,
      )
      expect(calls).toEqual([])
      expect(sessionsOnDisk()).toEqual([])
      await manager.spawn({ projectId: 'my-app', issueId: 'make the tests faster' }, { requireIssue: true })
      await manager.spawn({ projectId: 'my-app', issueId, prompt: 'do it' })
      expect(sessionsOnDisk()).toHaveLength(2)
    },
  )

  it('S2.17 S2.35 rejects on an auth or network error and leaves nothing', async () => {
    const { manager, trackerError, calls } = await given({ projectYaml: 'tracker: fake' })
    trackerError.current = new Error('401 Unauthorized')
    await expect(manager.spawn({ projectId: 'my-app', issueId: 'INT-1' })).rejects.toThrow(
      'Failed to fetch issue: 401 Unauthorized',
    )
    expect(calls).toEqual(['tracker.getIssue'])
    expect(sessionsOnDisk()).toEqual([])
  })
})
