// One case of each of five commands, of the thousands that `npm run torture -- nth-failure` plays.
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/rehearsal/random.ts'
import { buildAo } from '../support/run-ao.ts'
import { AO_COMMANDS } from './nth-ao.ts'
import { createAoStage } from './nth-ao-stage.ts'
import { type Counted, createNthFailures } from './nth-failure.ts'
import { canPreload, type Failure } from './preload.ts'

beforeAll(() => buildAo())

async function begin(names: string[]) {
  const commands = AO_COMMANDS.filter(({ name }) => names.includes(name))
  const all = createNthFailures(await createAoStage(), commands)
  const broken: string[] = []
  let count = 0
  const report = {
    tried: () => void count++,
    missed: () => undefined,
    broken: (what: string) => void broken.push(what),
  }
  return { commands, all, broken, report, tried: () => count }
}

describe.runIf(canPreload)('a command whose n-th operation fails', () => {
  it('answers in words, claims nothing that is not so, and leaves nothing that the next one does not settle', async () => {
    const { commands, all, broken, report } = await begin(['spawn', 'send', 'kill', 'issue new', 'session ls'])
    const random = createRandom(20_261_117)
    for (const command of commands) {
      const counted = await all.count(command)
      if (command.name === 'spawn') expect(Object.values(counted).every((count) => count > 10)).toBe(true)
      const failure = random.pick((Object.keys(counted) as Failure[]).filter((one) => counted[one]! > 0))
      await all.play({ command: command.name, failure, n: 1 + random.below(counted[failure]!) }, report)
    }
    expect(await all.end()).toEqual([])
    expect(broken).toEqual([])
  }, 180_000)

  it('sends no message without its file on a full disk, and leaves no half of one', async () => {
    const { commands, all, broken, report, tried } = await begin(['send a file'])
    const counted: Counted = await all.count(commands[0]!)
    const every = Math.ceil(counted.ENOSPC! / 8)
    for (let n = 1; n <= counted.ENOSPC!; n += every)
      await all.play({ command: 'send a file', failure: 'ENOSPC', n }, report)
    expect(await all.end()).toEqual([])
    expect(broken).toEqual([])
    expect(tried()).toBeGreaterThan(3)
  }, 300_000)
})
