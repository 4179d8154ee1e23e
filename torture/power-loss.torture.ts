// npm run torture -- power-loss: the power goes at any moment of a session's life, of a pull request's way to main, and of a
// session of agh. Everything that was acknowledged is there, and the next command works. What a state may lack, and what
// the model leaves out: test/faults/power-cut.ts. Needs Linux and a C compiler.
import { AGH_LIFE } from '../test/faults/power-agh.ts'
import { FORGE_LIFE } from '../test/faults/power-forge.ts'
import { type Life, playPowerLoss } from '../test/faults/power-loss.ts'
import { SESSION_LIFE } from '../test/faults/power-session.ts'
import { buildAo } from '../test/support/run-ao.ts'
import { campaign, isTimeUp, triesOr } from './campaign.ts'

buildAo()

/** States of one recording; the next one is made anew, because no two are the same. */
const STATES = 100

// biome-ignore lint/suspicious/noExplicitAny: scenes of several kinds
const LIVES: Array<[Life<any>, number]> = [
  [SESSION_LIFE, 500],
  [FORGE_LIFE, 300],
  [AGH_LIFE, 200],
]

for (const [life, states] of LIVES) {
  campaign(`power loss, ${life.name}`, async (one) => {
    for (let left = triesOr(states); left > 0 && !isTimeUp(); left -= STATES) {
      const strays = await playPowerLoss(life, {
        seed: one.seed + left,
        states: Math.min(STATES, left),
        isTimeUp,
        tried: (during) => {
          // What was tried before it.
          one.judged()
          one.tried('states')
          one.noted(during)
        },
        broken: one.broken,
      })
      for (const stray of strays) one.broken(`still running: ${stray}`)
    }
  })
}
