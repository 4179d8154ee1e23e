// A repository that is moved: its sessions are not forgotten, and are taken along on request.
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { SessionJson } from '../../src/cli/print/session-json.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
let moved: string
beforeAll(() => buildAo())
beforeEach(async () => {
  world = createAoWorld({
    config: 'projects:\n  app:\n    path: .\n    agent: demo\n    tracker: local\n    scm: local\n',
  })
  moved = join(world.temp.home, 'elsewhere')
  expect(await world.ao(['spawn', '--prompt', 'demo: ask Which?'])).toMatchObject({ code: 0 })
  await world.ao(['issue', 'new', 'First'])
  writeFileSync(join(worktree(), 'precious.txt'), 'work\n')
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

const worktree = () => join(world.temp.home, '.worktrees', 'app', 'app-1')
const there = (args: string[]) => world.ao(args, { cwd: moved })
const sessions = async () =>
  (await world.json<{ sessions: SessionJson[] }>(['session', 'ls'], { cwd: moved })).sessions.map(({ id, status }) => [
    id,
    status,
  ])

it('reports where its sessions are, and takes over all of them', async () => {
  renameSync(world.repo, moved)
  for (const args of [['session', 'ls'], ['status']]) {
    const { stderr } = await there(args)
    expect(stderr).toContain(`${join(world.repo, 'agent-orchestrator.yaml')} no longer exists`)
    expect(stderr).toContain('ao config relink')
  }
  expect((await there(['doctor'])).stdout).toContain('has 1 session: app-1')

  // First only what would be done.
  expect((await there(['config', 'relink'])).stdout).toContain('app-1')
  expect(await sessions()).toEqual([])

  expect(await there(['config', 'relink', '--yes'])).toMatchObject({ code: 0, stderr: '' })
  const [[id, status] = []] = await sessions()
  expect([id, ['working', 'needs_input'].includes(status!)]).toEqual(['app-1', true])
  expect((await there(['issue', 'ls'])).stdout).toContain('First')
  expect(git(worktree(), world.temp.env, 'status', '--porcelain')).toContain('precious.txt')

  // Its agent is reached, ended, and comes back in its own workspace.
  expect(await there(['session', 'kill', 'app-1', '--purge'])).toMatchObject({ code: 0 })
  expect(await there(['session', 'restore', 'app-1'])).toMatchObject({ code: 0 })
  expect(readFileSync(join(worktree(), 'precious.txt'), 'utf8')).toBe('work\n')
  expect(await there(['spawn', '--prompt', 'demo: say hello'])).toMatchObject({ code: 0 })
  expect((await sessions()).map(([one]) => one)).toEqual(['app-1', 'app-2'])

  // And back again.
  renameSync(moved, world.repo)
  expect(await world.ao(['config', 'relink', '--yes'])).toMatchObject({ code: 0 })
  expect((await world.json<{ sessions: SessionJson[] }>(['session', 'ls'])).sessions).toHaveLength(2)
})

it('offers nothing while the old place is there, and mixes nothing', async () => {
  cpSync(world.repo, moved, { recursive: true })
  expect((await there(['session', 'ls'])).stderr).not.toContain('relink')
  expect(await there(['config', 'relink', '--yes'])).toMatchObject({ code: 2 })

  // Sessions of the copy are in the way when the original goes.
  expect(await there(['spawn', '--prompt', 'demo: say hello', '--branch', 'other'])).toMatchObject({ code: 0 })
  renameSync(world.repo, `${world.repo}-gone`)
  const before = readdirSync(join(world.temp.home, '.agent-orchestrator')).sort()
  expect(await there(['config', 'relink', '--yes'])).toMatchObject({ code: 5 })
  expect(readdirSync(join(world.temp.home, '.agent-orchestrator')).sort()).toEqual(before)
})
