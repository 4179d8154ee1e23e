// The ssh runtime as the runtime suite uses it: on a machine of the test's own that shares /tmp and the processes of this one.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugin as ssh } from '../../src/plugins/runtime-ssh/index.ts'
import type { Plugin } from '../../src/slots/plugin.ts'
import type { TempHome } from '../support/temp-home.ts'

/** The connection that a home shares stays for a while; a test leaves none. */
export function closeConnections({ home, env }: TempHome): void {
  const directory = join(home, '.ao', 'run')
  const sockets = existsSync(directory) ? readdirSync(directory).filter((name) => /^ssh-[0-9a-f]+$/.test(name)) : []
  for (const name of sockets) {
    spawnSync('ssh', ['-F', '/dev/null', '-o', `ControlPath=${join(directory, name)}`, '-O', 'exit', 'box'], { env })
  }
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
