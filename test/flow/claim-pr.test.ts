// A session takes over the pull request of another one on the local forge: real git, real worktrees, the built command.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { SessionJson } from '../../src/cli/print/session-json.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld
beforeAll(buildAo)
beforeEach(async () => {
  const project = 'path: .\n    agent: demo\n    tracker: local\n    scm: local'
  world = createAoWorld({ config: `projects:\n  app:\n    ${project}\n` })
  const script = ['append notes one', 'commit notes', 'pr Notes', 'ask Which?'].map((line) => `demo: ${line}`)
  await world.ao(['spawn', '--prompt', script.join('\n')])
  await world.ao(['spawn', '--prompt', 'demo: ask Which?'])
  await waitFor('the pull request', async () => (await session('app-1')).pr !== null)
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

async function session(id: string): Promise<SessionJson> {
  const { sessions } = await world.json<{ sessions: SessionJson[] }>(['session', 'ls', '--all'])
  return sessions.find((one) => one.id === id)!
}

const claim = (...flags: string[]) => world.ao(['session', 'claim-pr', '1', 'app-2', ...flags])
const worktree = (id: string) => join(world.temp.home, '.worktrees', 'app', id)
const branchOf = (id: string) => git(worktree(id), world.temp.env, 'branch', '--show-current')

it('is refused without --takeover, and says how to continue', async () => {
  expect(await claim()).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/belongs to session app-1[\s\S]+--takeover[\s\S]+ao session kill app-1 --purge/),
  })
  expect([await session('app-1'), await session('app-2')]).toMatchObject([{ pr: expect.anything() }, { pr: null }])
})

it('changes nothing with --takeover while the worktree of the other one has the branch', async () => {
  const { code, stderr } = await claim('--takeover')
  expect({ code, stderr }).toEqual({ code: expect.any(Number), stderr: expect.stringContaining('app-1') })
  expect(code).not.toBe(0)
  expect([await session('app-1'), await session('app-2')]).toMatchObject([{ pr: expect.anything() }, { pr: null }])
  expect([branchOf('app-1'), branchOf('app-2')]).toEqual(['session/app-1', 'session/app-2'])
})

it('takes it with --takeover once the branch is free: the other one forgets it and keeps its work', async () => {
  git(worktree('app-1'), world.temp.env, 'switch', '--quiet', '-c', 'elsewhere')
  const { code, stderr } = await claim('--takeover')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const { pr } = await session('app-2')
  expect(pr).not.toBeNull()
  expect((await session('app-1')).pr).toBeNull()
  expect([branchOf('app-1'), branchOf('app-2')]).toEqual(['elsewhere', 'session/app-1'])
  for (const id of ['app-1', 'app-2']) expect(readFileSync(join(worktree(id), 'notes'), 'utf8')).toBe('one\n')
  const { stdout } = await world.ao(['events', 'app-2'])
  expect(stdout).toContain('app-1')
  // Its files are other ones now.
  const { stdout: shown } = await world.ao(['session', 'show', 'app-2', '--json'])
  expect(shown).toContain('Your workspace was moved to branch session/app-1 of the pull request http')
})

it('needs no --takeover once the other session was removed', async () => {
  expect((await world.ao(['session', 'kill', 'app-1', '--purge'])).code).toBe(0)
  const { code, stderr } = await claim()
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(branchOf('app-2')).toBe('session/app-1')
})
