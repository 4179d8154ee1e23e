// npm run torture -- nth-failure: the n-th operation of a command on a file, a process or a socket fails, for every n and every way
// to fail, each once over all slices on the same code. What counts as an operation, and what is left out:
// test/fixtures/faulty-disk.c. Needs Linux and a C compiler.
import { AGH_COMMANDS, createAghStage, ensureDaemon } from '../test/faults/nth-agh.ts'
import { AO_COMMANDS } from '../test/faults/nth-ao.ts'
import { createAoStage } from '../test/faults/nth-ao-stage.ts'
import { type Command, createNthFailures, type NthFailures, type Stage } from '../test/faults/nth-failure.ts'
import type { Failure } from '../test/faults/preload.ts'
import { buildAo } from '../test/support/run-ao.ts'
import { type Campaign, campaign, isTimeUp, triesOr } from './campaign.ts'
import { caseAt, unplayed, withPlayed } from './cases.ts'

buildAo()

/** What the world of a command needs is made once for them. */
const IN_A_ROW = 6

campaign('n-th failure, ao', async (one) => {
  const all = createNthFailures(await createAoStage(), AO_COMMANDS)
  one.afterwards(all.end)
  await play(one, all, triesOr(1_000))
})

campaign('n-th failure, agh', async (one) => {
  const stage = await createAghStage()
  const all = createNthFailures(stage, AGH_COMMANDS)
  one.afterwards(all.end)
  await play(one, all, triesOr(400), () => ensureDaemon(stage))
})

/** Some of each command in a row; those first that have not been counted. */
async function play<S extends Stage>(
  one: Campaign,
  all: NthFailures<S>,
  tries: number,
  prepare: () => void = () => undefined,
): Promise<void> {
  const { commands } = all
  for (const { name } of commands) one.cases[name] ??= { of: null, played: '', missed: '' }
  const first = one.random.below(commands.length)
  const turns = commands.map((_, at) => commands[(first + at) % commands.length]!)
  turns.sort((a, b) => Number(one.cases[a.name]!.of !== null) - Number(one.cases[b.name]!.of !== null))
  for (let [turn, left] = [0, tries]; left > 0 && !isTimeUp(); turn++, left -= IN_A_ROW) {
    prepare()
    await playRow(one, all, turns[turn % turns.length]!, Math.min(left, IN_A_ROW), prepare)
  }
}

async function playRow<S extends Stage>(
  one: Campaign,
  all: NthFailures<S>,
  command: Command<S>,
  length: number,
  prepare: () => void,
): Promise<void> {
  const { name } = command
  one.cases[name]!.of ??= (await all.count(command)) as Record<string, number>
  let left = length
  for (const place of unplayed(one.cases[name]!, one.random)) {
    if (left-- === 0 || isTimeUp()) return
    prepare()
    const { failure, n } = caseAt(one.cases[name]!.of!, place)
    let wasThere = true
    const missed = () => {
      wasThere = false
      one.noted('missed')
    }
    const tried = () => void one.tried(name)
    await all.play({ command: name, n, failure: failure as Failure }, { tried, broken: one.broken, missed })
    one.cases[name] = withPlayed(one.cases[name]!, place, wasThere)
    one.judged()
  }
}
