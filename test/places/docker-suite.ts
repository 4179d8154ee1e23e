// The runtime suite in real containers. Skipped where no engine can be started.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { startEngine, type TestEngine, whyNoDocker } from './docker-daemon.ts'
import { loseHost } from './docker-plugin.ts'

type Suite = Parameters<typeof describeRuntime>[0]

export interface InDocker extends Pick<Suite, 'plugin' | 'detachKeys' | 'speaksAcp'> {
  /** Beside this one. */
  pluginFile: string
  kind?: 'docker' | 'podman'
}

export function describeInDocker({ pluginFile, kind = 'docker', ...suite }: InDocker): void {
  const why = whyNoDocker(kind)
  if (why !== null) {
    describe.skip(`the runtime ${suite.plugin.manifest.name} (${why})`, () => it('is not tested here', () => undefined))
    return
  }
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startEngine(kind)
    process.env.AO_TEST_ENGINE = JSON.stringify({ host: engine.host, image: engine.image })
  }, 60_000)
  afterAll(() => engine.stop(), 30_000)
  const file = join(import.meta.dirname, pluginFile)
  const elsewhere = { lose: loseHost, endsEverything: true, many: 4 }
  describeRuntime({ ...suite, file, missingCommand: 'refused', elsewhere })
}
