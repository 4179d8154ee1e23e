// One case of each of five commands, of the thousands that `npm run torture -- nth-failure` plays.
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/rehearsal/random.ts'
import { buildAo } from '../support/run-ao.ts'
import { AO_COMMANDS, createAoStage } from './nth-ao.ts'
import { createNthFailures, sample } from './nth-failure.ts'
import { canPreload, type Failure } from './preload.ts'

beforeAll(() => buildAo())

const FAILURES: Failure[] = ['EIO', 'ENOSPC', 'EMFILE', 'EACCES', 'EPIPE', 'ETIMEDOUT', 'short']

describe.runIf(canPreload)('a command whose n-th operation fails', () => {
  it('answers in words, claims nothing that is not so, and leaves nothing that the next one does not settle', async () => {
    const commands = AO_COMMANDS.filter(({ name }) =>
      ['spawn', 'send', 'kill', 'issue new', 'session ls'].includes(name),
    )
    const all = createNthFailures(await createAoStage(), commands)
    const broken: string[] = []
    const report = { tried: () => undefined, missed: () => undefined, broken: (what: string) => void broken.push(what) }
    expect(new Set((await all.casesOf(commands[0]!)).map(({ failure }) => failure))).toEqual(new Set(FAILURES))
    for await (const one of sample(all, commands.length, createRandom(20_261_117))) await all.play(one, report)
    expect(await all.end()).toEqual([])
    expect(broken).toEqual([])
  }, 180_000)

  it('sends no message without its file on a full disk, and leaves no half of one', async () => {
    const command = AO_COMMANDS.find(({ name }) => name === 'send a file')!
    const all = createNthFailures(await createAoStage(), [command])
    const broken: string[] = []
    let tried = 0
    const report = {
      tried: () => void tried++,
      missed: () => undefined,
      broken: (what: string) => void broken.push(what),
    }
    const full = (await all.casesOf(command)).filter(({ failure }) => failure === 'ENOSPC')
    const every = Math.ceil(full.length / 8)
    for (const one of full.filter((_, at) => at % every === 0)) await all.play(one, report)
    expect(await all.end()).toEqual([])
    expect(broken).toEqual([])
    expect(tried).toBeGreaterThan(3)
  }, 300_000)
})
