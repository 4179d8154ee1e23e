// One state of each life, of the thousands that `npm run torture -- power-loss` makes; what those found has tests of its own
// (unsynced.test.ts, power-cut.test.ts, src/git). Here is tried that recorder, states and checks still fit the commands.
import { beforeAll, describe, expect, it } from 'vitest'
import { buildAo } from '../support/run-ao.ts'
import { AGH_LIFE } from './power-agh.ts'
import { FORGE_LIFE } from './power-forge.ts'
import { type Life, playPowerLoss } from './power-loss.ts'
import { SESSION_LIFE } from './power-session.ts'
import { canPreload } from './preload.ts'

beforeAll(() => buildAo())

/** What comes after it repeats what came before. */
const FIRST_HOUR = SESSION_LIFE.steps.findIndex(([name]) => name === 'restore') + 1

// biome-ignore lint/suspicious/noExplicitAny: scenes of several kinds
const LIVES: Array<[Life<any>]> = [
  [{ ...SESSION_LIFE, steps: SESSION_LIFE.steps.slice(0, FIRST_HOUR) }],
  [FORGE_LIFE],
  [AGH_LIFE],
]

describe.runIf(canPreload)('after a power loss', () => {
  it.each(LIVES)(
    '$name has everything that was acknowledged, and the next commands work',
    async (life) => {
      const broken: string[] = []
      const report = { tried: () => undefined, broken: (what: string) => void broken.push(what) }
      expect(await playPowerLoss(life, { seed: 20_261_117, states: 1, ...report })).toEqual([])
      expect(broken).toEqual([])
    },
    120_000,
  )
})
