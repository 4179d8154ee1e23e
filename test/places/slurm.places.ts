// The runtime suite in jobs of a real Slurm cluster. Skipped where none can be started.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { loseHost } from './docker-plugin.ts'
import { startCluster, type TestCluster, whyNoSlurm } from './slurm-cluster.ts'
import { plugin } from './slurm-plugin.ts'

const why = whyNoSlurm()

if (why !== null) {
  describe.skip(`the runtime slurm (${why})`, () => it('is not tested here', () => undefined))
} else {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await startCluster()
    process.env.AO_TEST_CLUSTER = cluster.conf
  }, 60_000)
  afterAll(() => cluster.stop(), 30_000)
  const file = join(import.meta.dirname, 'slurm-plugin.ts')
  const elsewhere = { lose: loseHost, endsEverything: true, many: 4 }
  describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u001d', elsewhere })
}
