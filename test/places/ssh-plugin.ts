// The ssh runtime as the runtime suite uses it: on a machine of the test's own that shares /tmp and the processes of this one.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessRow, readProcessTable } from '../../src/lib/process/process-table.ts'
import { plugin as ssh } from '../../src/plugins/runtime-ssh/index.ts'
import type { Plugin } from '../../src/slots/plugin.ts'
import type { TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'

/** The connections that a home shares stay for a while; a test leaves none, nor one that a killed command began to open. */
export async function closeConnections({ home, env }: TempHome): Promise<void> {
  const directory = join(home, '.ao', 'run')
  const isConnection = (row: ProcessRow) => row.commandLine().includes(`ControlPath=${directory}/`)
  await waitFor('no connection', () => {
    for (const name of existsSync(directory) ? readdirSync(directory) : []) {
      if (!lstatSync(join(directory, name)).isSocket() || !name.startsWith('ssh-')) continue
      spawnSync('ssh', ['-F', '/dev/null', '-o', `ControlPath=${join(directory, name)}`, '-O', 'exit', 'box'], { env })
    }
    return !readProcessTable().some(isConnection)
  })
}

/** In another process, too: which machine it is stands in a file of the test's home. */
export const plugin: Plugin<'runtime'> = {
  ...ssh,
  create(options, context) {
    const file = join(context.home, 'test-machine.json')
    if (process.env.AO_TEST_MACHINE) writeFileSync(file, process.env.AO_TEST_MACHINE)
    return ssh.create({ ...options, ...JSON.parse(readFileSync(file, 'utf8')) }, context)
  },
}
