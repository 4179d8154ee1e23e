// An approval on a forge elsewhere is for the change that was shown: what an agent makes of the same head afterwards is not merged.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PullRef } from '../../src/contract/pull.ts'
import { deriveStatus } from '../../src/core/status/derive-status.ts'
import { type MergeContext, type MergeOrder, mergePull } from '../../src/landing/merge.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { forgejoScmWorld } from '../forges/forgejo-world.ts'
import type { HostedWorld } from '../forges/git-remote.ts'
import { githubScmWorld } from '../forges/github-world.ts'
import { gitlabScmWorld } from '../forges/gitlab-world.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { git } from '../support/git-repo.ts'
import { createRide } from './hosted-ride.ts'

vi.setConfig({ testTimeout: 120_000 })

const FORGES = {
  github: { script: 'github-server.mjs', create: githubScmWorld },
  gitlab: { script: 'gitlab-server.mjs', create: gitlabScmWorld },
  forgejo: { script: 'forgejo-server.mjs', create: forgejoScmWorld },
}

describe.each(Object.entries(FORGES))('an approved pull request on %s', (_name, { script, create }) => {
  let forge: Forge
  let world: HostedWorld
  beforeAll(async () => {
    forge = await startForge(script)
  }, 60_000)
  beforeEach(async () => {
    world = await create(forge)
  })
  afterEach(() => world.cleanup())
  afterAll(() => forge?.stop())

  const merge = (pr: PullRef, more: Partial<MergeOrder> = {}) => {
    const projectDir = join(world.env.HOME!, 'records')
    mkdirSync(projectDir, { recursive: true })
    const store = { read: () => null, readAll: () => [], update: vi.fn() } as unknown as MergeContext['store']
    const context = { projectDir, env: world.env, clock: systemClock, log: silentLog, store }
    const project = { ...world.project, path: world.remote.clone }
    return mergePull(context, { scm: world.scm, project, pr, ...more })
  }
  const read = async (pr: PullRef) => {
    const reading = (await world.scm.readPullRequests!([{ sessionId: 'x', branch: null, pr }], world.project)).get('x')
    if (reading?.kind !== 'read') throw new Error(JSON.stringify(reading))
    return reading.snapshot
  }
  const mains = () => git(world.remote.bare, world.env, 'ls-tree', '--name-only', 'main').split('\n')

  it('that its agent retargets is neither ready, nor merged, nor taken along by a train', async () => {
    const ride = await createRide(world, 'merge')
    const before = mains()
    await world.push('hidden', 'backdoor.txt', 'evil\n')
    await world.push('feat/shown', 'harmless.txt', 'harmless\n', 'hidden')
    const pr = await world.openPR({ branch: 'feat/shown', title: 'Harmless' })
    await world.check('feat/shown', 'unit', 'passed')
    await world.retarget(pr.number, 'hidden')
    await vi.waitFor(
      async () => {
        // Forges know when something happened to the second, and a review in the same one does not count.
        await world.review(pr.number, { state: 'approved' })
        expect((await read(pr)).review).toBe('approved')
      },
      { timeout: 10_000, interval: 300 },
    )
    await world.retarget(pr.number, 'main')

    const { state, ci, review, mergeable } = await read(pr)
    expect({ state, ci, review, mergeable }).toEqual({
      state: 'open',
      ci: 'passing',
      review: 'pending',
      mergeable: true,
    })
    const status = deriveStatus(
      {
        ...{ stored: 'approved', operation: null, runtime: { state: 'alive' }, activity: null, hasPr: true },
        ...{
          isOrchestrator: false,
          pr: { url: pr.url, state, ci, review, mergeable },
          turnSince: null,
          readyThresholdMs: 60_000,
        },
      },
      Date.now(),
    )
    expect(status).toBe('review_pending')
    await expect(merge(pr, { needsApproval: true })).rejects.toThrow('nobody has approved')
    const candidate = { sessionId: 'app-1', branch: null, pr }
    expect(await ride.ride({ candidates: () => [candidate] })).toBe('done')
    expect([ride.train().riders, ride.branches(), mains()]).toEqual([[], [], before])

    // Shown and approved for what it is now, it is merged.
    await vi.waitFor(
      async () => {
        await world.review(pr.number, { state: 'approved' })
        expect((await read(pr)).review).toBe('approved')
      },
      { timeout: 10_000, interval: 300 },
    )
    await merge(pr, { needsApproval: true })
    expect(mains()).toContain('backdoor.txt')
  })

  it('shows the whole change that would land, whatever its agent writes into refs of the repository they share', async () => {
    const path = world.remote.checkout()
    const project = { ...world.project, path }
    const from = git(path, world.env, 'rev-parse', 'origin/main')
    await world.push('feat/two', 'backdoor.txt', 'evil\n')
    const pr = await world.openPR({ branch: 'feat/two', title: 'Two' })
    const range = async () => world.scm.readRange!(await read(pr), project)
    const first = await range()
    const lie = () =>
      ['refs/remotes/origin/main', 'refs/heads/main'].map((ref) => git(path, world.env, 'update-ref', ref, first.to))
    lie()
    expect([first.from, (await range()).from]).toEqual([from, from])
    const to = await world.push('feat/two', 'harmless.txt', 'harmless\n')
    lie()
    await vi.waitFor(async () => expect(await range()).toEqual({ from, to }), { timeout: 10_000 })
    git(path, world.env, 'remote', 'remove', 'origin')
    await expect(range()).rejects.toThrow('has no remote')
  })

  it('whose history crosses that of its base is refused, whoever asks', async () => {
    const { clone } = world.remote
    const ask = (...args: string[]) => git(clone, world.env, ...args)
    await world.push('fix', 'app.txt', 'fixed\n')
    await world.pushToBase('other.txt', 'moved\n')
    ask('fetch', '--quiet', 'origin')
    const crossed = ask('rev-parse', 'origin/main')
    ask('checkout', '--quiet', '-B', 'main', 'origin/main')
    ask('merge', '--quiet', '--no-edit', 'origin/fix')
    ask('push', '--quiet', 'origin', 'main')
    // Both sides are merged, and the fix is left out.
    const tree = ask('rev-parse', `${crossed}^{tree}`)
    const made = ask('commit-tree', tree, '-p', crossed, '-p', 'origin/fix', '-m', 'Merge branch fix')
    ask('push', '--quiet', 'origin', `${made}:refs/heads/feat/crossed`)
    await world.push('feat/crossed', 'feature.txt', 'feature\n')
    expect(ask('merge-base', '--all', 'origin/main', 'origin/feat/crossed').split('\n')).toHaveLength(2)
    const pr = await world.openPR({ branch: 'feat/crossed', title: 'Crossed' })
    await world.check('feat/crossed', 'unit', 'passed')
    await world.review(pr.number, { state: 'approved' })
    expect((await read(pr)).review).toBe('approved')
    await expect(merge(pr, { force: true })).rejects.toThrow('its history crosses that of main')
    expect(await world.readBase('app.txt')).toBe('fixed\n')
  })
})
