// The agent's own conversation in a place: it comes home, and a restored or moved session continues it.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startEngine, whyNoDocker } from './docker-daemon.ts'
import { ready, startSession } from './session-there.ts'
import { startMachine, type TestMachine, whyNoSsh } from './ssh-machine.ts'

const endings: Array<() => Promise<unknown>> = []
const onEnd = (end: () => Promise<unknown>) => void endings.push(end)

beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const no = whyNoDocker() ?? whyNoSsh()

describe.skipIf(no !== null)(`a conversation in a place${no ? ` (${no})` : ''}`, () => {
  it('is continued by restore and by move, from place to place', async () => {
    const engine = await startEngine()
    endings.push(() => engine.stop())
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    const cage = `{ type: docker, image: '${engine.image}', host: '${engine.host}', network: none }`
    const box = `{ type: ssh, host: box, configFile: '${machine.configFile}' }`
    const ao = await startSession({ places: `{ cage: ${cage}, box: ${box} }`, place: 'cage', onEnd })
    const remembers = (log: string, ...texts: string[]) => {
      for (const text of texts) expect(log.split(`,"text":"${text}"}\n`).length - 1, `${text} in:\n${log}`).toBe(1)
      expect(log.match(/"resumed":false/g)).toHaveLength(1)
    }
    const logInCage = () =>
      engine.run(['exec', engine.containers()[0]!, 'sh', '-c', 'cat /root/.ao-place/s/*/state/demo-session.jsonl'])
    const logOnBox = () => machine.run('cat ~/.ao-place/s/*/state/demo-session.jsonl')

    await untilSaid(ao, 'The first thing')
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await untilSaid(ao, 'The second thing')
    remembers(logInCage(), 'The first thing', 'The second thing')

    // The container disappears without a word: home has the conversation of the last turn.
    engine.removeAll()
    const moved = await ao.ao(['session', 'move', 'app-1', '--place', 'box', '--force'])
    expect(moved.code, moved.stderr).toBe(0)
    await untilSaid(ao, 'The third thing')
    remembers(logOnBox(), 'The first thing', 'The second thing', 'The third thing')

    const back = await ao.ao(['session', 'move', 'app-1', '--place', 'cage'])
    expect(back.code, back.stderr).toBe(0)
    await untilSaid(ao, 'The fourth thing')
    remembers(logInCage(), 'The first thing', 'The second thing', 'The third thing', 'The fourth thing')
    expect(machine.run('ls ~/.ao-place/s').trim()).toBe('')
    expect((await ao.ao(['session', 'kill', 'app-1', '--purge'])).code).toBe(0)
  })

  it('that is damaged at home is not continued: the agent starts afresh, with its task', async () => {
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    const box = `{ type: ssh, host: box, configFile: '${machine.configFile}' }`
    const ao = await startSession({ places: `{ there: ${box} }`, onEnd })
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    const state = join(ao.temp.home, '.agent-orchestrator')
    const kept = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /conversation-.+\.gz$/.test(name),
    )
    expect(kept).toHaveLength(1)
    writeFileSync(join(state, kept[0]!), 'not what it was')
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await waitFor('its task', () => /"message.received".*Write a note/.test(log(machine)), 60_000)
    expect(log(machine)).toContain('"resumed":false')
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
  })
})

const log = (machine: TestMachine) => machine.run('cat ~/.ao-place/s/*/state/demo-session.jsonl || true')

async function untilSaid(ao: AoWorld, text: string): Promise<void> {
  await ready(ao)
  const sent = await ao.ao(['send', 'app-1', text])
  expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  await ready(ao)
}
