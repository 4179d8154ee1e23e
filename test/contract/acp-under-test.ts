// What the runtime suite needs of a runtime whose agents speak ACP: one agh daemon for all tests of a file, and fake agents.
import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { aghPaths } from '../../src/agh/paths.ts'
import { createTempHome } from '../support/temp-home.ts'
import { testProgram } from '../support/test-program.ts'
import { killDaemon, type RuntimeUnderTest } from './runtime-world.ts'

const PROGRAM = testProgram('acp-program')

/** The daemon has an environment of its own, of which nothing may reach an agent. */
export function overAcp(): NonNullable<RuntimeUnderTest['speaksAcp']> {
  const shared = createTempHome()
  const daemonEnv = { ...shared.env, OUTER_SECRET: 'outer-0815' }
  const paths = aghPaths(daemonEnv, shared.home)
  mkdirSync(paths.home)
  writeFileSync(paths.config, '[http]\nport = 0\n')
  afterAll(async () => {
    await stopDaemon(paths)
    expect(await shared.cleanup()).toEqual([])
  })
  return {
    command: (argv) => (isAgent(argv) ? argv : [process.execPath, PROGRAM, ...argv]),
    tui: (flags) => [process.execPath, PROGRAM, '--tui', ...flags],
    async prepare({ env }) {
      env.AGH_HOME = paths.home
      if (!(await daemonStatus(paths))) await startDaemon(paths, daemonEnv)
    },
    lose: () => killDaemon(paths.daemonFile),
  }
}

function isAgent(argv: string[]): boolean {
  return argv[1] === PROGRAM || argv[0] === 'no-such-command-here'
}
