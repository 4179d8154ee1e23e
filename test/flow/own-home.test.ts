// Where ao keeps its files: in the home, below AO_HOME, or below XDG_DATA_HOME, and what happens where it may not write.

import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

const AGH = join(AO, '../agh.js')

let world: AoWorld
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld()
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

const inHome = () => readdirSync(world.temp.home).sort()

async function spawnAndKill(env: NodeJS.ProcessEnv): Promise<void> {
  const { session } = await world.json<{ session: { id: string } }>(['spawn', '--prompt', 'x'], { env })
  expect((await world.json<{ sessions: object[] }>(['session', 'ls'], { env })).sessions).toHaveLength(1)
  expect(await world.ao(['session', 'kill', session.id], { env })).toMatchObject({ code: 0 })
}

describe('AO_HOME', () => {
  it('takes everything that ao and agh keep, and leaves the home as it was', async () => {
    const own = join(world.temp.home, 'elsewhere')
    const env = { AO_HOME: own, XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined }
    const before = inHome()
    await spawnAndKill(env)
    const agh = (...args: string[]) =>
      spawnSync(process.execPath, [AGH, ...args], { env: { ...world.temp.env, ...env }, encoding: 'utf8' })
    expect(agh('install')).toMatchObject({ status: 0 })
    expect(inHome()).toEqual([...before, 'elsewhere'].sort())
    expect(readdirSync(own).sort()).toEqual(['.agent-orchestrator', '.agh', '.ao', '.cache', '.worktrees'])
    expect((await world.json<{ sessions: object[] }>(['session', 'ls', '--all'])).sessions).toEqual([])
  })

  it('ends the sessions of agh that ao starts, and their daemon', async () => {
    const own = join(world.temp.home, 'elsewhere')
    const env = { AO_HOME: own }
    writeFileSync(
      join(world.repo, 'agent-orchestrator.yaml'),
      'projects: { app: { path: ., agent: demo, runtime: acp } }\n',
    )
    mkdirSync(join(own, '.agh'), { recursive: true })
    writeFileSync(join(own, '.agh/config.toml'), '[http]\nport = 0\n')
    await spawnAndKill(env)
    expect(existsSync(join(world.temp.home, '.agh'))).toBe(false)
    const stopped = spawnSync(process.execPath, [AGH, 'daemon', 'stop'], {
      env: { ...world.temp.env, ...env },
      encoding: 'utf8',
    })
    expect(stopped).toMatchObject({ status: 0 })
  })

  it('reaches the agent, so that its ao looks in the same place', async () => {
    const own = join(world.temp.home, 'elsewhere')
    const plan = await world.json<{ environment: string[] }>(['spawn', '--prompt', 'x', '--dry-run'], {
      env: { AO_HOME: own },
    })
    expect(JSON.stringify(plan)).toContain('AO_HOME')
    expect(JSON.stringify(await world.json(['spawn', '--prompt', 'x', '--dry-run']))).not.toContain('AO_HOME')
  })

  it('has a configuration of its own: that of the home is not read', async () => {
    const write = (base: string, threshold: number) => {
      const directory = join(base, 'agent-orchestrator')
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, 'config.yaml'), `readyThresholdMs: ${threshold}\n`)
    }
    const [own, xdg] = [join(world.temp.home, 'elsewhere'), join(world.temp.home, 'xdg-config')]
    write(join(world.temp.home, '.config'), 1111)
    write(xdg, 2222)
    const shown = async (env: NodeJS.ProcessEnv) =>
      (await world.json<{ readyThresholdMs: number }>(['config', 'show'], { env })).readyThresholdMs
    expect(await shown({ XDG_CONFIG_HOME: undefined })).toBe(1111)
    expect(await shown({ XDG_CONFIG_HOME: xdg })).toBe(2222)
    for (const env of [{ XDG_CONFIG_HOME: undefined }, { XDG_CONFIG_HOME: xdg }])
      expect(await shown({ ...env, AO_HOME: own })).toBe(300_000)
    write(join(own, '.config'), 3333)
    expect(await shown({ AO_HOME: own, XDG_CONFIG_HOME: xdg })).toBe(3333)
  })

  it('must be an absolute path', async () => {
    const { code, stderr } = await world.ao(['status'], { env: { AO_HOME: 'here' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: AO_HOME is "here", which is not an absolute path\nhint: Set AO_HOME to /)
  })
})

describe('XDG_DATA_HOME', () => {
  it('takes what ao keeps where nothing lies in the home yet', async () => {
    const xdg = join(world.temp.home, 'xdg')
    await spawnAndKill({ XDG_DATA_HOME: xdg })
    // An ao that the agent runs gets AO_HOME, and may already have its cache there.
    const kept = readdirSync(join(xdg, 'ao-fleet')).filter((name) => name !== '.cache')
    expect(kept.sort()).toEqual(['.agent-orchestrator', '.ao', '.worktrees'])
    expect(inHome()).not.toContain('.agent-orchestrator')
  })

  it("leaves the user's own configuration to the ao of an agent", async () => {
    const env = { XDG_DATA_HOME: join(world.temp.home, 'xdg'), XDG_CONFIG_HOME: undefined }
    const plan = await world.json<{ environment: string[] }>(['spawn', '--prompt', 'x', '--dry-run'], { env })
    expect(JSON.stringify(plan)).toContain('AO_GLOBAL_CONFIG')
    expect(JSON.stringify(await world.json(['spawn', '--prompt', 'x', '--dry-run']))).not.toContain('AO_GLOBAL_CONFIG')
  })

  it('changes nothing for a home that is in use', async () => {
    await spawnAndKill({})
    const env = { XDG_DATA_HOME: join(world.temp.home, 'xdg') }
    expect((await world.json<{ sessions: object[] }>(['session', 'ls'], { env })).sessions).toHaveLength(1)
    expect(existsSync(env.XDG_DATA_HOME)).toBe(false)
  })
})

describe('a home that cannot be written to', () => {
  const isRoot = process.getuid?.() === 0
  const NOBODY = 65534

  /** Root may write everywhere, so the command runs as somebody else then. */
  function ao(args: string[], env: NodeJS.ProcessEnv) {
    const who = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
    return spawnSync(process.execPath, [AO, ...args], { ...who, cwd: world.repo, env, encoding: 'utf8' })
  }

  function giveAway(path: string): void {
    if (!isRoot) return
    for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }))
      chownSync(join(path, name), NOBODY, NOBODY)
    chownSync(path, NOBODY, NOBODY)
  }

  it('is one error that says what to do, before anything is made; AO_HOME helps', () => {
    const home = join(world.temp.home, 'closed')
    mkdirSync(home)
    cpSync(join(world.temp.home, '.gitconfig'), join(home, '.gitconfig'))
    chmodSync(home, 0o555)
    chmodSync(world.temp.home, 0o755)
    giveAway(world.repo)
    const env = { ...world.temp.env, HOME: home, XDG_CACHE_HOME: undefined, XDG_CONFIG_HOME: undefined }
    const branches = () =>
      spawnSync('git', ['-C', world.repo, 'branch'], { env: world.temp.env, encoding: 'utf8' }).stdout
    const before = branches()
    for (const extra of [{}, { AO_DATA_DIR: join(world.repo, 'data') }]) {
      const refused = ao(['spawn', '--prompt', 'x'], { ...env, ...extra })
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toBe(
        `error: ${home} is not writable, and ao keeps its files in ${home}/.ao\n` +
          `hint: Make ${home} writable, or set AO_HOME to a directory of your own\n`,
      )
    }
    expect(branches()).toBe(before)
    expect(readdirSync(home)).toEqual(['.gitconfig'])
    expect(ao(['session', 'ls'], env)).toMatchObject({ status: 0 })
    expect(ao(['doctor'], env).stdout).toContain(`FAIL data: ${home} is not writable`)
    const planned = ao(['spawn', '--prompt', 'x', '--dry-run'], { ...env, AO_HOME: join(world.repo, 'own') })
    expect(planned).toMatchObject({ status: 0 })
  })
})
