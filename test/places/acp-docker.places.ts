// The runtime suite for agents that speak ACP in real containers. Skipped where no Docker daemon can be started.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { overAcp } from '../contract/acp-under-test.ts'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { plugin } from './acp-docker-plugin.ts'
import { startEngine, type TestEngine, whyNoDocker } from './docker-daemon.ts'
import { loseHost } from './docker-plugin.ts'

const why = whyNoDocker()

if (why !== null) {
  describe.skip(`the runtime acp@docker (${why})`, () => it('is not tested here', () => undefined))
} else {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startEngine()
    process.env.AO_TEST_ENGINE = JSON.stringify({ host: engine.host, image: engine.image })
  }, 60_000)
  afterAll(() => engine.stop(), 30_000)
  const file = join(import.meta.dirname, 'acp-docker-plugin.ts')
  const elsewhere = { lose: loseHost, endsEverything: true, many: 4 }
  describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u0003', elsewhere, speaksAcp: overAcp() })
}
