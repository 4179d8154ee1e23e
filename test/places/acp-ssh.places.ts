// The runtime suite for agents that speak ACP on a machine that is reached with ssh. Skipped where none can be made.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { overAcp } from '../contract/acp-under-test.ts'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { plugin } from './acp-ssh-plugin.ts'
import { loseHost } from './docker-plugin.ts'
import { startMachine, type TestMachine, whyNoSsh } from './ssh-machine.ts'
import { closeConnections } from './ssh-plugin.ts'

const why = whyNoSsh()

if (why !== null) {
  describe.skip(`the runtime acp@ssh (${why})`, () => it('is not tested here', () => undefined))
} else {
  let machine: TestMachine
  beforeAll(async () => {
    machine = await startMachine({ pids: 'shared' })
    const { host, configFile } = machine
    process.env.AO_TEST_MACHINE = JSON.stringify({ host, configFile })
  }, 60_000)
  afterAll(() => machine.stop(), 30_000)
  const file = join(import.meta.dirname, 'acp-ssh-plugin.ts')
  const byHand = (script: string) => void machine.run(script)
  const elsewhere = { lose: loseHost, endsEverything: false, byHand, many: 4, leave: closeConnections }
  describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u0003', elsewhere, speaksAcp: overAcp() })
}
