// A record is a file that an agent can write. Whatever it says, a command on one session never ends the agent of another
// one or removes its workspace: real runtimes, real worktrees, the built command.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Session } from '../../src/contract/session.ts'
import { silentLog } from '../../src/lib/log.ts'
import { findBySpawnMarker } from '../../src/lib/process/process-tree.ts'
import { createSessionManager } from '../../src/manager/session-manager.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { cover, THOROUGH } from '../support/cover.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const RUNTIMES = ['tmux', 'process', 'acp']

/** What a session claims; most of it is tried with one of the runtimes in `npm test`. */
const CLAIMS: ReadonlyArray<readonly [what: string, steal: (of: Pairs) => Pairs]> = [
  ['its handle', ({ runtimeHandle }) => ({ runtimeHandle })],
  ['its handle and spawn id', ({ runtimeHandle, spawnId }) => ({ runtimeHandle, spawnId })],
  ['its spawn id', ({ spawnId }) => ({ spawnId })],
  ['its workspace', ({ worktree }) => ({ worktree })],
]
const ALL_CLAIMED: (typeof CLAIMS)[number] = [
  'all of it',
  ({ runtimeHandle, spawnId, worktree }) => ({ runtimeHandle, spawnId, worktree }),
]
const ATTEMPTS = cover(CLAIMS, RUNTIMES)
const WAYS: ReadonlyArray<readonly [what: string, steal: (own: Pairs, other: Pairs) => Pairs]> = [
  ['its handle', (_own: Pairs, other: Pairs): Pairs => ({ runtimeHandle: other.runtimeHandle })],
  [
    'its handle and spawn id',
    (_own: Pairs, other: Pairs): Pairs => ({ runtimeHandle: other.runtimeHandle, spawnId: other.spawnId }),
  ],
  [
    'the inner parts of its handle',
    (own: Pairs, other: Pairs): Pairs => {
      const { spawnId: _spawnId, stateDir: _stateDir, ...inner } = JSON.parse(other.runtimeHandle!).data
      const handle = JSON.parse(own.runtimeHandle!)
      return { runtimeHandle: JSON.stringify({ ...handle, data: { ...handle.data, ...inner } }) }
    },
  ],
]
const DETOURS = cover(WAYS, RUNTIMES)

describe.each(RUNTIMES)('with runtime %s', (runtime) => {
  let world: AoWorld
  let beside: AghBeside
  beforeAll(() => {
    buildAo()
    world = createAoWorld({
      config: `defaults: { runtime: ${runtime}, agent: demo }\nprojects:\n  app: { path: ., sessionPrefix: app }\n`,
    })
    beside = aghBeside(world.temp.home, world.temp.env)
  })
  afterAll(async () => {
    await beside.stop()
    expect(await world.temp.cleanup()).toEqual([])
  })

  const claims = ATTEMPTS.flatMap(([claim, where]) => (where === runtime ? [claim] : []))

  it.each([...claims, ALL_CLAIMED])('D10 a session that claims %s of another one', async (_what, steal) => {
    const thief = await spawn()
    const victim = await spawn()
    const before = record(thief)
    edit(thief, steal(record(victim)))
    const { code, stderr } = await world.ao(['session', 'kill', thief, '--purge'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('not its own; ignoring it') })
    expect(await running()).toEqual([victim])
    expect(existsSync(join(record(victim).worktree!, 'README.md'))).toBe(true)
    expect(existsSync(before.worktree!)).toBe(false)
    expect(processesOf(before.spawnId!)).toEqual([])
    expect(await world.ao(['session', 'kill', victim, '--purge'])).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('not its own; ignoring it'),
    })
    expect(processesOf(record(victim, 'archived').spawnId!)).toEqual([])
  })

  // The detours below take the same parts on the other runtimes.
  it.runIf(THOROUGH || runtime === 'tmux')(
    'D10 a handle with the own name and the inner parts of another one',
    async () => {
      const [thief, victim] = [await spawn(), await spawn()]
      const own = JSON.parse(record(thief).runtimeHandle!)
      const { spawnId: _spawnId, stateDir: _stateDir, ...inner } = JSON.parse(record(victim).runtimeHandle!).data
      const { spawnId: ownSpawnId } = record(thief)
      edit(thief, { runtimeHandle: JSON.stringify({ ...own, data: { ...own.data, ...inner } }) })
      expect(await world.ao(['session', 'kill', thief])).toMatchObject({ code: 0 })
      expect(await running()).toEqual([victim])
      if (runtime !== 'acp') expect(processesOf(ownSpawnId!)).toEqual([])
      expect(await world.ao(['session', 'kill', victim, '--purge'])).toMatchObject({ code: 0 })
      expect(await world.ao(['session', 'kill', thief, '--purge'])).toMatchObject({ code: 0 })
    },
  )

  const ways = DETOURS.flatMap(([way, where]) => (where === runtime ? [way] : []))

  it.each(ways)('D10 a session that claims %s of another one is never the way to it', async (_what, steal) => {
    const [thief, victim] = [await spawn(), await spawn()]
    const ownWay = await wayInto(thief)
    edit(thief, steal(record(thief), record(victim)))
    // To its own agent or to none: an answer would end the question of whichever agent gets it.
    await world.ao(['send', thief, 'blue', '--no-wait'])
    await world.ao(['session', 'deny', thief])
    expect((await sessions()).find(({ id }) => id === victim)?.status).toBe('needs_input')
    expect([null, ownWay]).toContainEqual(await wayInto(thief).catch(() => null))
    expect(await world.ao(['session', 'kill', thief, '--purge'])).toMatchObject({ code: 0 })
    expect(await world.ao(['session', 'kill', victim, '--purge'])).toMatchObject({ code: 0 })
  })

  it.runIf(THOROUGH || runtime === 'process')(
    'D10 restore brings a session back into a workspace of its own',
    async () => {
      const [thief, victim] = [await spawn(), await spawn()]
      const { worktree } = record(thief)
      expect(await world.ao(['session', 'kill', thief])).toMatchObject({ code: 0 })
      edit(thief, { worktree: record(victim).worktree! })
      expect(await world.ao(['session', 'restore', thief])).toMatchObject({ code: 0 })
      expect((await sessions()).find(({ id }) => id === thief)?.workspacePath).toBe(worktree)
      for (const id of [thief, victim]) {
        expect(await world.ao(['session', 'kill', id, '--purge'])).toMatchObject({ code: 0 })
      }
    },
  )

  async function spawn(): Promise<string> {
    const { stdout, stderr } = await world.ao(['spawn', '--prompt', 'demo: say hello\ndemo: ask Which colour?'])
    const id = /^SESSION=(.+)$/m.exec(stdout)?.[1]
    if (id === undefined) throw new Error(stderr)
    await waitFor(`${id} to ask`, async () => (await sessions()).find((one) => one.id === id)?.status === 'needs_input')
    return id
  }

  /** The command that `ao session attach` would start; null: there is none. */
  async function wayInto(id: string): Promise<string[] | null> {
    const { manager, registry } = await open()
    const handle = (await manager.get(id))?.runtimeHandle
    if (!handle) return null
    const info = await (await registry.load('runtime', handle.runtimeName)).getAttachInfo?.(handle)
    return info?.command ?? null
  }

  /** As `ao session ls` sees them, without a process for each of many questions. */
  async function sessions(): Promise<Session[]> {
    return (await open()).manager.list()
  }

  async function open() {
    const place = { env: world.temp.env, home: world.temp.home }
    const config = loadConfig({ path: join(world.repo, 'agent-orchestrator.yaml'), ...place })
    const registry = createPluginRegistry({ ...place, log: silentLog })
    await registry.loadBuiltins(config, { lazy: true })
    return { manager: createSessionManager({ config, registry, log: silentLog, ...place }), registry }
  }

  async function running(): Promise<string[]> {
    return (await sessions()).filter(({ status }) => status === 'needs_input').map(({ id }) => id)
  }

  function directory(): string {
    const base = join(world.temp.home, '.agent-orchestrator')
    return join(base, readdirSync(base).find((name) => name.endsWith('-app'))!, 'sessions')
  }

  function fileOf(id: string, where?: 'archived'): string {
    if (where === undefined) return join(directory(), id)
    const archive = join(directory(), 'archive')
    return join(archive, readdirSync(archive).find((name) => name.startsWith(`${id}_`))!)
  }

  function record(id: string, where?: 'archived'): Pairs {
    const lines = readFileSync(fileOf(id, where), 'utf8').trim().split('\n')
    return Object.fromEntries(lines.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]))
  }

  function edit(id: string, changes: Pairs): void {
    const pairs = Object.entries({ ...record(id), ...changes })
    writeFileSync(fileOf(id), pairs.map(([key, value]) => `${key}=${value}\n`).join(''))
  }
})

type Pairs = Record<string, string | undefined>

function processesOf(spawnId: string): number[] {
  return findBySpawnMarker(spawnId).map(({ pid }) => pid)
}
