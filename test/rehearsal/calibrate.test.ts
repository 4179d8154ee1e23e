// A rehearsal with the rates of a recorded day comes near it: conflicts in groups and agents that give up included.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { stepTrain } from '../../src/landing/train/step-train.ts'
import { calibrate } from '../../src/rehearsal/calibrate.ts'
import { parseCassette } from '../../src/rehearsal/read-cassette.ts'
import { rehearse } from '../../src/rehearsal/rehearse.ts'
import { createWorld, isReviewRequested, rebase, type SimPull, startProcess } from '../../src/rehearsal/train-world.ts'
import { createPaths } from '../../src/store/paths.ts'

const root = mkdtempSync(join(tmpdir(), 'ao-calibrate-'))

afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('a rehearsal', () => {
  it('lets those of one group land one after the other, each rebased onto what landed before', async () => {
    const pulls = [1, 2, 3].map(
      (number): SimPull => ({
        ...{ number, version: 1, bad: false, badWith: null, conflictsWith: null, landed: false, labels: [] },
        group: number === 3 ? undefined : 1,
      }),
    )
    const world = createWorld(() => 0.5, pulls)
    const train = startProcess(world, () => false)
    const rule = { batch: 4, order: 'fifo' as const, priority: [] }
    let rebased = 0
    for (let round = 0; round < 20 && pulls.some(({ landed }) => !landed); round++) {
      for (let step = 0; step < 50; step++) if ((await stepTrain(train.ports, rule)).kind !== 'again') break
      train.finishChecks()
      for (const pull of pulls.filter((one) => isReviewRequested(world, one))) {
        rebased += 1
        rebase(world, pull)
      }
    }
    expect([pulls.map(({ landed }) => landed), rebased]).toEqual([[true, true, true], 1])
  })

  it('with the rates of a day of conflicts and agents that give up is within 25 % of it', async () => {
    const configPath = join(root, 'app', 'agent-orchestrator.yaml')
    mkdirSync(join(root, 'app'))
    writeFileSync(configPath, 'projects: { app: { path: ., scm: local, tracker: local, landing: { mode: train } } }\n')
    const config = loadConfig({ path: configPath, env: {}, home: root })
    const paths = createPaths({ configPath, home: root, env: {} })
    const given = { config, project: config.projects.app!, paths }
    const lines: string[] = []
    await rehearse({
      ...{ ...given, seed: 102, agents: 4, hours: 3, mix: { steady: 3, conflicts: 2, 'gives-up': 2 }, faults: false },
      ...{ personMinutes: 10, ciMinutes: 5, record: (line: string) => lines.push(line) },
    })
    const { recorded, predicted, off } = await calibrate(parseCassette(lines.join(''), 'day'), given)
    expect(recorded.requests).toBeGreaterThan(3)
    expect([off <= 0.25, recorded, predicted]).toEqual([true, recorded, predicted])
  })
})
