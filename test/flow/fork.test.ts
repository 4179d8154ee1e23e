// A session that begins with the files of another: everything uncommitted comes along, the other one is not touched, and a kill
// in between leaves nothing or a session that can be restored.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld

beforeAll(() => buildAo(), 60_000)

beforeEach(async () => {
  world = createAoWorld({
    config: 'defaults: { notifiers: [], runtime: process }\nprojects: { app: { path: ., agent: demo } }\n',
  })
  await world.ao(['spawn', '--prompt', 'demo: finish done'])
  const tree = worktree('app-1')
  writeFileSync(join(tree, 'work'), 'committed')
  git(tree, world.temp.env, 'add', 'work')
  git(tree, world.temp.env, 'commit', '--quiet', '--message', 'work')
  writeFileSync(join(tree, 'work'), 'changed')
  writeFileSync(join(tree, 'staged'), 'staged')
  git(tree, world.temp.env, 'add', 'staged')
  writeFileSync(join(tree, 'untracked'), 'untracked')
})

afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const worktree = (id: string) => join(world.temp.home, '.worktrees', 'app', id)
const statusOf = (id: string) => git(worktree(id), world.temp.env, 'status', '--porcelain')
const headOf = (id: string) => git(worktree(id), world.temp.env, 'rev-parse', 'HEAD')
const ids = async () =>
  (await world.json<{ sessions: Array<{ id: string }> }>(['session', 'ls'])).sessions.map(({ id }) => id)

it('has the same commit, staged, changed and untracked files on a branch of its own', async () => {
  const before = statusOf('app-1')
  const answer = await world.json<{ session: { id: string; branch: string }; conversation: string }>([
    'session',
    'fork',
    'app-1',
  ])
  expect(answer).toMatchObject({ session: { id: 'app-2', branch: 'session/app-1-fork-app-2' }, conversation: 'new' })
  expect([statusOf('app-2'), statusOf('app-1')]).toEqual([before, before])
  expect(before).toContain('?? untracked')
  expect(headOf('app-2')).toBe(headOf('app-1'))
  expect(readFileSync(join(worktree('app-2'), 'work'), 'utf8')).toBe('changed')
  expect((await world.ao(['why', 'app-2'])).stdout).toContain('it began with the work of app-1')
  expect((await world.ao(['session', 'fork', 'app-1', '--at', '3'])).stderr).toContain('has no saved turn 3')
  expect((await world.ao(['session', 'fork', 'app-1', '--at', 'x'])).stderr).toContain('is not a commit of the branch')
  expect((await world.ao(['session', 'fork', 'app-1', '--at', 'HEAD~1'])).stdout).toContain('in a new conversation')
  expect(headOf('app-3')).toBe(git(worktree('app-1'), world.temp.env, 'rev-parse', 'HEAD~1'))
  expect(statusOf('app-3')).toBe('')
  // What one of them does now is not the other's.
  writeFileSync(join(worktree('app-2'), 'untracked'), 'other')
  expect(readFileSync(join(worktree('app-1'), 'untracked'), 'utf8')).toBe('untracked')
})

it.each(['fork.work-saved', 'fork.saved'])('killed at %s it is gone or can be restored', async (point) => {
  const killed = await world.ao(['session', 'fork', 'app-1'], { env: { AO_FAILPOINT: point } })
  expect(killed.signal).toBe('SIGKILL')
  await world.ao(['spawn', '--prompt', 'demo: finish done'])
  if (point === 'fork.saved') {
    expect((await world.ao(['session', 'restore', 'app-2'])).code).toBe(0)
    expect(statusOf('app-2')).toBe(statusOf('app-1'))
  } else {
    expect(await ids()).not.toContain('app-2')
    expect(existsSync(worktree('app-2'))).toBe(false)
    expect(git(world.repo, world.temp.env, 'branch', '--list', '*fork*').trim()).toBe('')
  }
})

it('is refused for a session without a workspace, and inside of any', async () => {
  await world.ao(['session', 'kill', 'app-1', '--purge'])
  expect((await world.ao(['session', 'fork', 'app-1'])).stderr).toContain('archived')
  await world.ao(['spawn', '--prompt', 'demo: finish done'])
  rmSync(worktree('app-2'), { recursive: true })
  expect((await world.ao(['session', 'fork', 'app-2'])).stderr).toContain('has no workspace now')
  const inside = { env: { AO_SESSION: 'app-2', AO_CALLER_TYPE: 'agent' } }
  expect((await world.ao(['session', 'fork', 'app-2'], inside)).stderr).toContain('not for the agent of a session')
})
