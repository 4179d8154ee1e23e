// A question of a line program is answered when the program got its line: a letter without Enter is no answer, and no
// message is typed behind it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SendReceipt } from '../../src/contract/session.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const PROGRAM = join(import.meta.dirname, '..', 'fixtures', 'yes-no.sh')

let world: AoWorld

beforeAll(() => buildAo(), 120_000)
beforeEach(() => {
  world = createAoWorld({ config: '' })
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const logFile = () => join(world.temp.home, 'answers.txt')
const noted = () => (existsSync(logFile()) ? readFileSync(logFile(), 'utf8').split('\n').slice(0, -1) : [])

async function start(runtime: string, ...flags: string[]): Promise<void> {
  const command = JSON.stringify([PROGRAM, logFile(), ...flags])
  const config = `defaults: { runtime: ${runtime}, notifiers: [] }\nprojects:\n  app:\n    path: .\n    agent: generic\n    agentConfig: { command: ${command} }\n`
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), config)
  await world.agree()
  const spawned = await world.ao(['spawn'])
  expect(spawned.code, spawned.stderr).toBe(0)
  await waitFor(
    'the question',
    async () => (await world.ao(['session', 'show', 'app-1'])).stdout.includes('Proceed?'),
    20_000,
  )
}

const send = async (text: string) =>
  (await world.json<{ receipt: SendReceipt }>(['send', 'app-1', text, '--no-wait'])).receipt

describe.each(['tmux', 'process'])('in the runtime %s', (runtime) => {
  it.each([
    ['that ends in a newline', []],
    ['with a mark for the answer below it', ['mark']],
  ])('a question %s: no is no, and the next message is a message', async (_what, flags) => {
    await start(runtime, ...flags)
    expect(await world.json(['session', 'deny', 'app-1'])).toMatchObject({ code: 0, decision: 'reject-once' })
    await waitFor('the answer', () => noted().length > 0)
    expect(noted()).toEqual(['answer: n'])
    await send('Use the staging endpoint instead')
    await waitFor('the message', () => noted().length > 1)
    expect(noted()).toEqual(['answer: n', 'message: Use the staging endpoint instead'])
  })

  it('a bare y answers the question also where a message waits for it', async () => {
    await start(runtime)
    expect(await send('do the work')).toMatchObject({ level: 'held' })
    expect(await send('y')).toMatchObject({ level: 'handed_over' })
    await waitFor('the answer', () => noted().length > 0)
    expect(noted()[0]).toBe('answer: y')
    await world.ao(['send', 'app-1', 'next', '--no-wait'])
    await waitFor('the messages', () => noted().length > 2)
    expect(noted().slice(1)).toEqual(['message: do the work', 'message: next'])
  })
})
