// The runtime suite in real containers. Skipped where no Docker daemon can be started.
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { plugin } from '../../src/plugins/runtime-docker/index.ts'
import type { Plugin } from '../../src/slots/plugin.ts'
import { startEngine, type TestEngine, whyNoDocker } from '../places/docker-daemon.ts'
import { describeRuntime } from './runtime-suite.ts'

const REPOSITORY = join(import.meta.dirname, '..', '..')
const kind = process.env.AO_TEST_ENGINE === 'podman' ? 'podman' : 'docker'
const why = whyNoDocker(kind)

if (why !== null) {
  describe.skip(`the runtime docker (${why})`, () => it('is not tested here', () => undefined))
} else {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await startEngine(kind)
    process.env.AO_TEST_DOCKER = JSON.stringify({ host: engine.host, image: engine.image })
  }, 60_000)
  afterAll(() => engine.stop())
  // What the tests put beside the agent has to be there too.
  const inContainers: Plugin<'runtime'> = {
    ...plugin,
    create: (options, context) => {
      const mounts = [`${context.home}:${context.home}`, `${REPOSITORY}:${REPOSITORY}:ro`, `${dirname(process.execPath)}:${dirname(process.execPath)}:ro`]
      return plugin.create({ ...options, host: engine.host, image: engine.image, mounts, network: 'none' }, context)
    },
  }
  const file = join(import.meta.dirname, 'runtime-docker-child.ts')
  describeRuntime({ plugin: inContainers, file, missingCommand: 'refused', detachKeys: '\u001d' })
}
