// npm run torture -- nth-failure: the n-th operation of a command on a file, a process or a socket fails, for a sample of every n
// and every way to fail. What counts as an operation, and what is left out: test/fixtures/faulty-disk.c. Needs Linux and a C
// compiler.
import { AGH_COMMANDS, createAghStage, ensureDaemon } from '../test/faults/nth-agh.ts'
import { AO_COMMANDS, createAoStage } from '../test/faults/nth-ao.ts'
import { createNthFailures, type NthFailures, type Stage, sample } from '../test/faults/nth-failure.ts'
import { buildAo } from '../test/support/run-ao.ts'
import { type Campaign, campaign, isTimeUp, triesOr } from './campaign.ts'

buildAo()

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
  await play(one, all, triesOr(400), () => ensureDaemon(stage, all.env))
})

async function play<S extends Stage>(
  one: Campaign,
  all: NthFailures<S>,
  tries: number,
  prepare: () => void = () => undefined,
): Promise<void> {
  prepare()
  for (const next of sample(all, tries, one.random, IN_A_ROW)) {
    all.play(next, { tried: (name) => void one.tried(name), broken: one.broken, missed: () => one.noted('missed') })
    if (isTimeUp()) break
    prepare()
  }
}
