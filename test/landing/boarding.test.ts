// With a train nothing else moves the base branch, however a merge was asked for.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '../../src/contract/session.ts'
import { createForge } from '../../src/forge/create-forge.ts'
import { mergePull } from '../../src/forge/merge/merge-pull.ts'
import { localReport } from '../../src/forge/train/local-train.ts'
import { type MergeOrder, mergePull as mergeAny } from '../../src/landing/merge.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { readTrainReport } from '../../src/landing/train/train-report.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { plugin, readForgeOptions } from '../../src/plugins/scm-local/index.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

describe('merging where a project has a train', () => {
  let world: ForgeWorld
  beforeEach(() => {
    world = createForgeWorld()
  })
  afterEach(() => world.cleanup())

  it('boards it; only an explicit word merges past the train, and that is recorded', async () => {
    const project = { ...world.project, landing: { mode: 'train' as const, batch: 1, order: 'fifo' as const } }
    const forge = createForge(project, readForgeOptions({}), world.context)
    const main = world.git('rev-parse', 'main')
    await world.push('feat/a', 'a.txt', 'a\n')
    const pr = await world.openPR({ branch: 'feat/a', title: 'Add a' })
    const sha = world.git('rev-parse', 'feat/a')
    await expect(mergePull(forge, 1, { force: true })).rejects.toMatchObject({
      code: 'PR_NOT_MERGEABLE',
      hint: expect.stringContaining('--skip-train'),
    })
    const riders = () => {
      const projectDir = projectDirectory(world.context, project.id)
      return openTrainFile({ projectDir, clock: systemClock })
        .read()
        .riders.map(({ pull, by }) => [pull, by])
    }
    const scm = plugin.create({}, world.context)
    const merge = (env: NodeJS.ProcessEnv, how: Partial<MergeOrder>) =>
      mergeAny(
        {
          projectDir: projectDirectory(world.context, project.id),
          env,
          clock: systemClock,
          log: silentLog,
          store: { read: () => null, readAll: () => [], update: async () => ({}) as Session },
        },
        { scm, project, pr, ...how },
      )
    const { env } = world.context
    // An agent's word is not a person's.
    const ofAgent = merge({ ...env, AO_SESSION: 'app-1' }, { needsApproval: true })
    await expect(ofAgent).rejects.toThrow('nobody has approved')
    expect(riders()).toEqual([])
    await expect(merge(env, { head: main })).rejects.toThrow('as expected')
    await expect(scm.mergePR!(pr, { sha }, project)).rejects.toThrow('moves by the train')
    for (const head of [sha, undefined])
      expect(await merge(env, { head })).toMatchObject({ boarded: true, commit: null, pull: { headSha: sha } })
    expect([riders(), world.git('rev-parse', 'main')]).toEqual([[[1, 'sam']], main])

    const { commit } = await merge(env, { pastTrain: true })
    expect([world.git('rev-parse', 'main'), forge.pulls.read(1)?.pastTrain]).toEqual([commit, true])
    const report = readTrainReport(localReport(forge), projectDirectory(world.context, project.id), project)
    expect(report.past).toEqual([{ pull: 1, title: 'Add a', by: 'sam', commit, at: expect.any(String) }])
  })
})
