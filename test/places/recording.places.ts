// The terminal of a session in a place is recorded there, and comes home with its work.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { worldWithPlaces } from './session-there.ts'
import { startMachine, whyNoSsh } from './ssh-machine.ts'

const endings: Array<() => Promise<unknown>> = []

beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const no = whyNoSsh()

interface Log {
  lines: string[]
  ended: string | null
}

describe.skipIf(no !== null)(`a terminal in a place${no ? ` (${no})` : ''}`, () => {
  it('is recorded while the agent works, with its end, and over its next start', async () => {
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    const ao = await worldWithPlaces({
      places: `{ box: { type: ssh, host: box, configFile: '${machine.configFile}', environment: [SOME_TOKEN] } }`,
      env: { AO_RECORDING: 'on', SOME_TOKEN: 'correct-horse-battery' },
      onEnd: (end) => void endings.push(end),
    })
    const log = async () => {
      const { lines, ended } = await ao.json<Log>(['session', 'log', 'app-1', '--all'])
      return { text: lines.join('\n'), ended }
    }
    const prompt = 'demo: say the first words\ndemo: say correct-horse-battery\ndemo: ask Shall I go on?'
    const spawned = await ao.ao(['spawn', '--place', 'box', '--prompt', prompt])
    expect(spawned.code, spawned.stderr).toBe(0)
    // At the end of its turn.
    await waitFor('its words', async () => (await log().catch(() => null))?.text.includes('Shall I go on?'), 60_000)
    expect((await log()).ended).toBe(null)
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    const first = await log()
    expect(first.ended).toMatch(/^SIG|^exit code/)
    expect(first.text).toContain('the first words')
    expect(first.text).not.toContain('correct-horse-battery')

    expect((await ao.ao(['session', 'restore', 'app-1'])).code).toBe(0)
    expect((await ao.ao(['session', 'kill', 'app-1', '--purge'])).code).toBe(0)
    const both = await log()
    expect(both.text).toContain('the first words')
    expect(both.text).toContain('[started again]')
  })
})
