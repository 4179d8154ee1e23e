// npm run torture -- nth-failure: the n-th operation of a command on a file, a process or a socket fails, for a sample of every n
// and every way to fail. What counts as an operation, and what is left out: test/fixtures/faulty-disk.c. Needs Linux and a C
// compiler.
import { AGH_COMMANDS, createAghStage, ensureDaemon } from '../test/faults/nth-agh.ts'
import { AO_COMMANDS, createAoStage } from '../test/faults/nth-ao.ts'
import { createNthFailures, type NthFailures, type Stage, sample } from '../test/faults/nth-failure.ts'
import type { Operation } from '../test/faults/preload.ts'
import { buildAo } from '../test/support/run-ao.ts'
import { type Campaign, campaign, isTimeUp, learntBefore, triesOr } from './campaign.ts'

buildAo()

const IN_A_ROW = 6

campaign('n-th failure, ao', async (one) => {
  const { learnt, keep } = learntBefore<Record<string, Operation[]>>('n-th failure, ao', {})
  const all = createNthFailures(await createAoStage(), AO_COMMANDS, learnt)
  one.afterwards(all.end)
  await play(one, all, triesOr(1_000))
  keep()
})

campaign('n-th failure, agh', async (one) => {
  const { learnt, keep } = learntBefore<Record<string, Operation[]>>('n-th failure, agh', {})
  const stage = await createAghStage()
  const all = createNthFailures(stage, AGH_COMMANDS, learnt)
  one.afterwards(all.end)
  await play(one, all, triesOr(400), () => ensureDaemon(stage, all.env))
  keep()
})

async function play<S extends Stage>(
  one: Campaign,
  all: NthFailures<S>,
  tries: number,
  prepare: () => void = () => undefined,
): Promise<void> {
  prepare()
  for await (const next of sample(all, tries, one.random, IN_A_ROW)) {
    const tried = (name: string) => void one.tried(name)
    await all.play(next, { tried, broken: one.broken, missed: () => one.noted('missed') })
    one.judged()
    if (isTimeUp()) break
    prepare()
  }
}
