// The runtime suite in real containers. Skipped where no Docker daemon can be started.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { startEngine, type TestEngine, whyNoDocker } from './docker-daemon.ts'
import { loseHost, plugin } from './docker-plugin.ts'

const kind = process.env.AO_TEST_PODMAN ? 'podman' : 'docker'
const why = whyNoDocker(kind)

if (why !== null) {
  describe.skip(`the runtime docker (${why})`, () => it('is not tested here', () => undefined))
} else {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startEngine(kind)
    process.env.AO_TEST_ENGINE = JSON.stringify({ host: engine.host, image: engine.image })
  }, 60_000)
  afterAll(() => engine.stop(), 30_000)
  const file = join(import.meta.dirname, 'docker-plugin.ts')
  const elsewhere = { lose: loseHost, endsEverything: true, many: 4 }
  describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u001d', elsewhere })
}
