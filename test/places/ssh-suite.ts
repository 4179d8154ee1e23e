// The runtime suite on a machine that is reached with ssh, one of the test's own. Skipped where none can be made.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { loseHost } from './docker-plugin.ts'
import { startMachine, type TestMachine, whyNoSsh } from './ssh-machine.ts'
import { closeConnections } from './ssh-plugin.ts'

type Suite = Parameters<typeof describeRuntime>[0]

export interface OverSsh extends Pick<Suite, 'plugin' | 'detachKeys' | 'speaksAcp'> {
  /** Beside this one. */
  pluginFile: string
}

export function describeOverSsh({ pluginFile, ...suite }: OverSsh): void {
  const why = whyNoSsh()
  if (why !== null) {
    describe.skip(`the runtime ${suite.plugin.manifest.name} (${why})`, () => it('is not tested here', () => undefined))
    return
  }
  let machine: TestMachine
  beforeAll(async () => {
    machine = await startMachine({ pids: 'shared' })
    const { host, configFile } = machine
    process.env.AO_TEST_MACHINE = JSON.stringify({ host, configFile })
  }, 60_000)
  afterAll(() => machine.stop(), 30_000)
  const file = join(import.meta.dirname, pluginFile)
  const byHand = (script: string) => void machine.run(script)
  const elsewhere = { lose: loseHost, endsEverything: false, byHand, many: 4, leave: closeConnections }
  describeRuntime({ ...suite, file, missingCommand: 'refused', elsewhere })
}
