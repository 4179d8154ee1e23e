// One launch for spawn, orchestrator and restore: what holds for one of them holds for all.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionEvent } from '../../src/contract/events.ts'
import type { PullRef } from '../../src/contract/pull.ts'
import { createLog } from '../../src/lib/log.ts'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import { createPaths } from '../../src/store/paths.ts'
import { readMetadataRaw } from '../../src/store/session/metadata-files.ts'
import { agreeToAll } from '../support/agree.ts'
import { createFakeWorld, type FakeOptions, type FakeWorld } from './fake-world.ts'

let world: FakeWorld

afterEach(() => world.cleanup())

interface Kind {
  id: string
  /** Everything before the launch that is examined. */
  before(): Promise<void>
  launch(): Promise<unknown>
}

const KINDS: Record<string, Kind> = {
  spawn: {
    id: 'my-app-1',
    before: async () => undefined,
    launch: () => world.manager.spawn({ projectId: 'my-app', prompt: 'work' }),
  },
  orchestrator: {
    id: 'my-app-orchestrator',
    before: async () => undefined,
    launch: () => world.manager.spawnOrchestrator({ projectId: 'my-app' }),
  },
  restore: {
    id: 'my-app-1',
    async before() {
      const { id } = await world.manager.spawn({ projectId: 'my-app', prompt: 'work' })
      await world.manager.kill(id, { keepWorkspace: true })
    },
    launch: () => world.manager.restore('my-app-1'),
  },
  'restore from the archive': {
    id: 'my-app-1',
    async before() {
      const { id } = await world.manager.spawn({ projectId: 'my-app', prompt: 'work' })
      await world.manager.kill(id)
    },
    launch: () => world.manager.restore('my-app-1'),
  },
  'restore of the orchestrator': {
    id: 'my-app-orchestrator',
    async before() {
      const { id } = await world.manager.spawnOrchestrator({ projectId: 'my-app' })
      await world.manager.kill(id)
    },
    launch: () => world.manager.spawnOrchestrator({ projectId: 'my-app' }),
  },
}

const events = (id: string): SessionEvent[] =>
  readFileSync(world.paths.historyFile(id), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SessionEvent)

const running = (): string[] => [...world.alive].filter(([, alive]) => alive === true).map(([name]) => name)

async function given(kind: Kind, options: FakeOptions = {}): Promise<void> {
  world = await createFakeWorld(options)
  await kind.before()
}

describe.each(Object.entries(KINDS))('%s', (_name, kind) => {
  it('stops the agent when its record cannot be written, and says why', async () => {
    await given(kind)
    const runtime = await world.registry.load('runtime', 'fake')
    const create = runtime.create.bind(runtime)
    vi.spyOn(runtime, 'create').mockImplementationOnce(async (launch) => {
      const handle = await create(launch)
      rmSync(world.paths.sessionFile(kind.id))
      mkdirSync(world.paths.sessionFile(kind.id))
      return handle
    })
    await expect(kind.launch()).rejects.toMatchObject({ code: 'METADATA_DAMAGED' })
    expect(running()).toEqual([])
  })

  it('keeps the record when the agent cannot be stopped either', async () => {
    let isBroken = false
    await given(kind, {
      agent: {
        async postLaunchSetup() {
          if (!isBroken) return
          world.failing.set('runtime.destroy', new Error('no answer'))
          throw new Error('setup failed')
        },
      },
    })
    isBroken = true
    await expect(kind.launch()).rejects.toThrow('setup failed')
    expect(running()).toHaveLength(1)
    const launched = world.launches.at(-1)!
    expect(readMetadataRaw(world.paths.sessions, kind.id)).toMatchObject({
      status: 'errored',
      spawnId: launched.spawnId,
      runtimeHandle: expect.stringContaining(launched.name),
    })
  })

  it('asks the agent about itself in its workspace, and records the command that was started', async () => {
    let prepared = 0
    await given(kind, {
      agent: {
        readFacts: async ({ workspacePath }) => ({ workspacePath, prepared }),
        prepare: async () => {
          prepared++
        },
        getLaunchCommand: ({ facts, conversationId }) => ['sh', JSON.stringify(facts ?? null), conversationId],
      },
    })
    const before = prepared
    await kind.launch()
    const { command, workspacePath } = world.launches.at(-1)!
    expect(command).toEqual([
      'sh',
      JSON.stringify({ workspacePath, prepared: before }),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ])
    const recorded = events(kind.id).findLast(({ type }) => type === 'runtime.started')
    expect(recorded).toMatchObject({ command })
  })

  it('S2.23 calls the post-launch hook once the record is written, while the intent is still recorded', async () => {
    const seen: Array<Record<string, string> | null> = []
    await given(kind, {
      agent: {
        async postLaunchSetup(session) {
          seen.push(readMetadataRaw(world.paths.sessions, session.id))
        },
      },
    })
    const before = seen.length
    await kind.launch()
    expect(seen).toHaveLength(before + 1)
    expect(seen.at(-1)).toMatchObject({ operation: expect.any(String), spawnId: world.launches.at(-1)!.spawnId })
    expect(readMetadataRaw(world.paths.sessions, kind.id)).not.toHaveProperty('operation')
  })
})

describe('the plan of a spawn', () => {
  it('says what the spawn then does, and changes nothing', async () => {
    world = await createFakeWorld({ agent: { getEnvironment: () => ({ API_TOKEN: 's3cret' }) } })
    const plan = await world.manager.planSpawn({ projectId: 'my-app', issueId: 'INT-1', prompt: 'Fix it' })
    expect(world.calls).toEqual([])
    expect(existsSync(world.paths.sessions) ? readdirSync(world.paths.sessions) : []).toEqual([])
    expect(JSON.stringify(plan)).not.toContain('s3cret')

    const session = await world.manager.spawn({ projectId: 'my-app', issueId: 'INT-1', prompt: 'Fix it' })
    const launched = world.launches[0]!
    expect(plan).toMatchObject({
      kind: 'spawn',
      session: session.id,
      agent: 'fake',
      runtime: 'fake',
      workspace: { kind: 'fake', path: session.workspacePath, branch: session.branch },
      issue: 'INT-1',
      prompt: world.agentLaunches[0]!.prompt,
      promptDelivery: 'command',
      command: launched.command,
      steps: ['create workspace', 'prepare workspace', 'prepare agent', 'start runtime', 'write metadata'],
    })
    expect(plan.environment).toEqual(expect.arrayContaining(['API_TOKEN', 'AO_SESSION', 'PATH']))
    for (const name of plan.environment) expect(launched.environment).toHaveProperty(name)
  })

  it('is made once, from plugins that were found once', async () => {
    const commands = vi.fn(() => ['sh', '-c', 'true'])
    const projectYaml = 'tracker: fake\nscm: fake'
    world = await createFakeWorld({ projectYaml, scm: {}, tracker: {}, agent: { getLaunchCommand: commands } })
    world.issues.set('INT-1', {})
    const load = vi.spyOn(world.registry, 'load')
    await world.manager.spawn({ projectId: 'my-app', issueId: 'INT-1' })
    expect(load.mock.calls.map(([slot]) => slot).sort()).toEqual(['agent', 'runtime', 'scm', 'tracker', 'workspace'])
    expect(commands).toHaveBeenCalledTimes(1)
  })

  it('gives the agent the ports of its session, not those of the plan', async () => {
    world = await createFakeWorld()
    const sessions = [
      await world.manager.spawn({ projectId: 'my-app', prompt: 'a' }),
      await world.manager.spawn({ projectId: 'my-app', prompt: 'b' }),
    ]
    await world.manager.kill(sessions[1]!.id, { keepWorkspace: true })
    await world.manager.restore(sessions[1]!.id)
    const ports = sessions.map(({ id }) => readMetadataRaw(world.paths.sessions, id)?.firstPort)
    expect(new Set(ports).size).toBe(2)
    const given = world.launches.map(({ environment }) => environment.AO_SESSION_PORT)
    expect(given).toEqual([ports[0], ports[1], ports[1]])
    expect(
      world.launches.map(({ environment, workspacePath }) => environment.AO_WORKSPACE_PATH === workspacePath),
    ).toEqual([true, true, true])
  })

  it('opens the sandbox of the very first agent to the pull requests of the forge', async () => {
    world = await createFakeWorld({ projectYaml: 'scm: fake', scm: { ghFacade: true } })
    await world.manager.spawn({ projectId: 'my-app', prompt: 'work' })
    expect(world.agentLaunches[0]!.sandbox?.write).toContain(join(world.paths.dir, 'pulls'))
  })

  it('shows no value of the environment to anybody but the runtime', async () => {
    const canaries = { USER_TOKEN: 'canary-of-user', OWN_TOKEN: 'canary-of-config', AGENT_TOKEN: 'canary-of-agent' }
    world = await createFakeWorld({
      projectYaml: `agentConfig: { env: { OWN_TOKEN: ${canaries.OWN_TOKEN} } }`,
      agent: { getEnvironment: () => ({ AGENT_TOKEN: canaries.AGENT_TOKEN }) },
    })
    await agreeToAll(world.config, { home: world.temp.home, env: world.env })
    const shown: string[] = []
    const manager = createSessionManager({
      config: world.config,
      registry: world.registry,
      env: { ...world.env, USER_TOKEN: canaries.USER_TOKEN },
      home: world.temp.home,
      log: createLog('debug', (line) => shown.push(line)),
      aoCommand: ['ao'],
    })
    const onProgress = (line: string) => void shown.push(line)
    shown.push(JSON.stringify(await manager.planSpawn({ projectId: 'my-app', prompt: 'work' })))
    const session = await manager.spawn({ projectId: 'my-app', prompt: 'work' }, { onProgress })
    await manager.kill(session.id, { keepWorkspace: true })
    shown.push(JSON.stringify(await manager.restore(session.id, { onProgress })))
    world.failing.set('runtime.create', new Error('no room'))
    await expect(manager.spawn({ projectId: 'my-app', prompt: 'work' }, { onProgress })).rejects.toThrow('no room')
    for (const { environment } of world.launches) expect(environment).toMatchObject(canaries)
    expect(world.launches.length).toBeGreaterThan(1)
    const { dataDir } = createPaths({ configPath: world.configPath, home: world.temp.home, env: world.env })
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    expect(files.length).toBeGreaterThan(3)
    shown.push(...files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')))
    expect(shown.filter((text) => text.includes('canary-of-'))).toEqual([])
  })

  it('refuses what the spawn would refuse', async () => {
    world = await createFakeWorld({ agent: { getLaunchCommand: () => ['no-such-program'] } })
    await expect(world.manager.planSpawn({ projectId: 'my-app' })).rejects.toMatchObject({ code: 'TOOL_MISSING' })
    await expect(world.manager.planSpawn({ projectId: 'nope' })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' })
  })
})

describe('a start from the branch of a pull request', () => {
  it.each<[string, Partial<PullRef>]>([
    ['of a fork, whoever named it like one of ours', { branch: 'main', isFork: true }],
    ['that reads as an option', { branch: '--upload-pack=x' }],
    ['that reads as another ref', { branch: 'refs/ao/rescue/app-1/1' }],
    ['that reads as a range', { branch: 'a..b' }],
  ])('%s is refused', async (_what, pull) => {
    world = await createFakeWorld({
      projectYaml: 'scm: fake',
      scm: { resolvePR: async () => ({ url: 'https://forge.test/1', number: 7, ...pull }) },
    })
    const task = { projectId: 'my-app', prompt: 'hello' }
    await expect(world.manager.planSpawn(task, { base: 'pr:7' })).rejects.toMatchObject({ code: 'USAGE' })
  })
})
