// The runtime suite over a real sshd. Skipped where no machine can be made of namespaces.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { loseHost } from './docker-plugin.ts'
import { startMachine, type TestMachine, whyNoSsh } from './ssh-machine.ts'
import { closeConnections, plugin } from './ssh-plugin.ts'

const why = whyNoSsh()

if (why !== null) {
  describe.skip(`the runtime ssh (${why})`, () => it('is not tested here', () => undefined))
} else {
  let machine: TestMachine
  beforeAll(async () => {
    machine = await startMachine({ pids: 'shared' })
    const { host, configFile } = machine
    process.env.AO_TEST_MACHINE = JSON.stringify({ host, configFile })
  }, 60_000)
  afterAll(() => machine.stop(), 30_000)
  const file = join(import.meta.dirname, 'ssh-plugin.ts')
  const byHand = (script: string) => void machine.run(script)
  const elsewhere = { lose: loseHost, endsEverything: false, byHand, many: 4, leave: closeConnections }
  describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u001d', elsewhere })
}
