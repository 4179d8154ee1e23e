// Where a configuration puts its data and worktrees: through the real loader, paths and registry.
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { createPaths } from '../../src/store/paths.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function configIn(directory: string, plugins = '') {
  mkdirSync(directory, { recursive: true })
  const path = join(directory, 'agent-orchestrator.yaml')
  writeFileSync(path, `${plugins}projects:\n  myapp:\n    path: .\n`)
  return loadConfig({ path, home: temp.home, env: temp.env })
}
const pathsOf = (configPath: string, env = temp.env) => createPaths({ configPath, home: temp.home, env })

describe('the data of a configuration', () => {
  it('S1.11 S1.12 lies in directories that begin with the hash of the real place of the file', () => {
    const config = configIn(join(temp.home, 'work', 'myapp'))
    const expected = createHash('sha256')
      .update(realpathSync(join(temp.home, 'work', 'myapp')))
      .digest('hex')
      .slice(0, 12)
    const paths = pathsOf(config.configPath)
    expect(paths.hash).toBe(expected)
    expect(paths.project('myapp').dir).toBe(join(temp.home, '.agent-orchestrator', `${expected}-myapp`))

    symlinkSync(join(temp.home, 'work'), join(temp.home, 'link'))
    const linked = loadConfig({ cwd: join(temp.home, 'link', 'myapp'), home: temp.home, env: temp.env })
    expect(pathsOf(linked.configPath).hash).toBe(expected)
  })

  it('S1.13 S1.14 of two checkouts with the same project id lies apart', () => {
    const work = configIn(join(temp.home, 'work', 'myapp'))
    const personal = configIn(join(temp.home, 'personal', 'myapp'))
    const [one, other] = [work, personal].map(({ configPath }) => pathsOf(configPath).project('myapp'))
    expect(one?.dir).not.toBe(other?.dir)
    for (const key of ['dir', 'sessions', 'archive', 'history', 'locks'] as const) {
      expect(one?.[key].startsWith(`${other?.dir}/`)).toBe(false)
      expect(one?.[key]).not.toBe(other?.[key])
    }
  })

  it('S1.104 S1.105 moves with AO_DATA_DIR, and inside a session the base is found from its sessions directory', () => {
    const { configPath } = configIn(join(temp.home, 'repo'))
    const moved = pathsOf(configPath, { ...temp.env, AO_DATA_DIR: join(temp.home, 'data') })
    expect(moved.dataDir).toBe(join(temp.home, 'data'))
    const inside = pathsOf(configPath, { ...temp.env, AO_DATA_DIR: moved.project('myapp').sessions })
    expect(inside.dataDir).toBe(moved.dataDir)
    expect(inside.project('myapp').dir).toBe(moved.project('myapp').dir)
  })
})

describe('the worktrees of a configuration', () => {
  const pathFor = async (plugins?: string) => {
    const registry = createPluginRegistry({ home: temp.home, env: temp.env })
    const config = configIn(join(temp.home, 'repo'), plugins)
    await registry.loadBuiltins(config, { lazy: true })
    const workspace = await registry.load('workspace', config.defaults.workspace)
    return workspace.pathFor({ projectId: 'myapp', sessionId: 'mya-1' })
  }

  it('S1.106 lie under ~/.worktrees', async () => {
    expect(await pathFor()).toBe(join(temp.home, '.worktrees', 'myapp', 'mya-1'))
  })

  it('S1.107 lie where worktreeDir of the workspace plugin says, with ~ expanded', async () => {
    const plugins = 'plugins:\n  workspace:\n    name: worktree\n    config:\n      worktreeDir: ~/code/.worktrees\n'
    expect(await pathFor(plugins)).toBe(join(temp.home, 'code', '.worktrees', 'myapp', 'mya-1'))
  })
})
