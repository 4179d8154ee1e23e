// The docker runtime as the runtime suite uses it: in an engine of the test's own, with the test's files in each container.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RuntimeHandle } from '../../src/contract/session.ts'
import { readProcessTable } from '../../src/lib/process/process-table.ts'
import { readLineSpec } from '../../src/plugins/place/home/line-files.ts'
import { plugin as docker } from '../../src/plugins/runtime-docker/index.ts'
import type { Plugin } from '../../src/slots/plugin.ts'

const REPOSITORY = join(import.meta.dirname, '..', '..')
const WITH_OUR_PIDS = join(REPOSITORY, 'test', 'fixtures', 'docker-host-pids.sh')

/** In another process, too: which engine it is stands in a file of the test's home. */
export const plugin: Plugin<'runtime'> = {
  ...docker,
  create(options, context) {
    const file = join(context.home, 'test-engine.json')
    if (process.env.AO_TEST_ENGINE) writeFileSync(file, process.env.AO_TEST_ENGINE)
    const { host, image } = JSON.parse(readFileSync(file, 'utf8')) as { host: string; image: string }
    const node = dirname(process.execPath)
    const mounts = [`${context.home}:${context.home}`, `${REPOSITORY}:${REPOSITORY}:ro`, `${node}:${node}:ro`]
    return docker.create({ ...options, host, image, mounts, network: 'none', command: WITH_OUR_PIDS }, context)
  },
}

/** kill -9 for the host beside this session's agent. */
export async function loseHost(handle: RuntimeHandle): Promise<void> {
  const spec = readLineSpec(String(handle.data?.stateDir), String(handle.data?.spawnId))!
  const isHost = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`serve\0${spec.directory}\0`)
  for (const {
    identity: { pid },
  } of readProcessTable()) {
    try {
      if (isHost(pid)) process.kill(pid, 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
}
