// A person who goes into an agent's workspace still talks about the project, not about the copy of its configuration there.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findConfig } from '../../src/config/find-config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const CONFIG = 'projects:\n  my-app:\n    path: .\n'

async function createWorkspace(configPath: string, plugin: string): Promise<string> {
  const config = loadConfig({ path: configPath, home: temp.home, env: temp.env })
  const registry = createPluginRegistry({ home: temp.home, env: temp.env })
  await registry.loadBuiltins(config, { lazy: true })
  const stateDir = join(temp.home, 'state')
  mkdirSync(stateDir, { recursive: true })
  const project = config.projects['my-app']!
  const spec = { projectId: 'my-app', project, sessionId: 'ma-1', branch: 'session/ma-1', stateDir }
  const workspace = await registry.load('workspace', plugin)
  return (await workspace.create(spec)).path
}

const find = (cwd: string) => findConfig({ cwd, home: temp.home, env: temp.env }).path

describe.each(['worktree', 'clone'])('findConfig inside a %s that ao made', (plugin) => {
  it("finds the project's own file, from every directory of it", async () => {
    const repo = createRepo(join(temp.home, 'my-app'), temp.env, {
      'agent-orchestrator.yaml': CONFIG,
      'src/deep/file.txt': '',
    })
    const own = join(repo, 'agent-orchestrator.yaml')
    const workspace = await createWorkspace(own, plugin)
    expect(existsSync(join(workspace, 'agent-orchestrator.yaml'))).toBe(true)
    expect(find(workspace)).toBe(own)
    expect(find(join(workspace, 'src', 'deep'))).toBe(own)
  })

  it('finds a file above the project', async () => {
    const repo = createRepo(join(temp.home, 'work', 'my-app'), temp.env)
    const above = join(temp.home, 'work', 'agent-orchestrator.yaml')
    writeFileSync(above, CONFIG.replace('path: .', 'path: ./my-app'))
    expect(find(repo)).toBe(above)
    expect(find(await createWorkspace(above, plugin))).toBe(above)
  })
})

describe('findConfig in a worktree that the user made', () => {
  it('uses the configuration of the main checkout, also where it has a copy of its own', () => {
    const repo = createRepo(join(temp.home, 'my-app'), temp.env, { 'agent-orchestrator.yaml': CONFIG })
    git(repo, temp.env, 'worktree', 'add', '--quiet', join(temp.home, 'side'))
    expect(find(join(temp.home, 'side'))).toBe(join(repo, 'agent-orchestrator.yaml'))
  })
})
