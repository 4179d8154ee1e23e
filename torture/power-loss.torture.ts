// npm run torture -- power-loss: the power goes at any moment of a session's life, of a pull request's way to main, of a ride of the
// train, of a session of agh and of its installation. Everything that was acknowledged is there, and the next command works. What a
// state may lack, and what the model leaves out: test/faults/power-cut.ts. Needs Linux and a C compiler.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { AGH_LIFE } from '../test/faults/power-agh.ts'
import { FORGE_LIFE } from '../test/faults/power-forge.ts'
import { INSTALL_LIFE } from '../test/faults/power-install.ts'
import { type Life, playPowerLoss, type Recorded } from '../test/faults/power-loss.ts'
import { SESSION_LIFE } from '../test/faults/power-session.ts'
import { TRAIN_LIFE } from '../test/faults/power-train.ts'
import { buildAo } from '../test/support/run-ao.ts'
import { campaign, isTimeUp, triesOr } from './campaign.ts'

buildAo()

/** States of one recording; the next one is made anew, because no two are the same. */
const STATES = 100

// biome-ignore lint/suspicious/noExplicitAny: scenes of several kinds
const LIVES: Array<[Life<any>, number]> = [
  [SESSION_LIFE, 500],
  [FORGE_LIFE, 300],
  [TRAIN_LIFE, 300],
  [AGH_LIFE, 200],
  [INSTALL_LIFE, 200],
]

for (const [life, states] of LIVES) {
  campaign(`power loss, ${life.name}`, async (one) => {
    for (let left = triesOr(states); left > 0 && !isTimeUp(); left -= STATES) {
      const kept = takeRecording(life.name)
      let [recorded, played] = [kept?.recorded ?? null, kept?.played ?? 0]
      const strays = await playPowerLoss(life, {
        seed: one.seed + left,
        states: Math.min(STATES - played, left),
        isTimeUp,
        recorded,
        keep: (made) => {
          recorded = made
        },
        tried: (during) => {
          // What was tried before it.
          one.judged()
          one.tried('states')
          one.noted(during)
          played++
        },
        broken: one.broken,
      })
      for (const stray of strays) one.broken(`still running: ${stray}`)
      if (recorded && played < STATES) leaveRecording(life.name, { recorded, played })
    }
  })
}

interface Kept {
  recorded: Recorded
  played: number
}

/** Of an earlier slice of this run, which is nobody else's from now on: its home can be in one place only. */
function takeRecording(name: string): Kept | null {
  const directory = recordings()
  for (const file of directory === null ? [] : readdirSync(directory).filter((one) => one.endsWith(`${name}.trace`))) {
    const path = join(directory!, file)
    try {
      renameSync(path, `${path}.taken`)
    } catch {
      // Another slice was faster.
      continue
    }
    const kept = deserialize(readFileSync(`${path}.taken`)) as Kept
    rmSync(`${path}.taken`)
    return kept
  }
  return null
}

function leaveRecording(name: string, kept: Kept): void {
  const directory = recordings()
  if (directory === null) return
  const path = join(directory, `${process.pid} ${name}.trace`)
  writeFileSync(`${path}.${process.pid}`, serialize(kept))
  renameSync(`${path}.${process.pid}`, path)
}

function recordings(): string | null {
  return process.env.AO_TORTURE_RUNS === undefined ? null : dirname(process.env.AO_TORTURE_RUNS)
}
