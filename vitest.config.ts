import { defineConfig } from 'vitest/config'
import { THOROUGH } from './test/support/cover.ts'
import { LongFirst } from './test/support/long-first.ts'

// What tmux goes through at every point, again over ACP; and engines of their own. `npm run test:thorough` has them.
const LEFT_OUT = THOROUGH ? [] : ['test/flow/acp-crash.test.ts', 'test/flow/places.test.ts']

/** In a worker of its own: what replaces modules or variables, and what has not been seen to bear the company of others. */
const ALONE = [
  'src/git/resolve-refs.test.ts',
  'src/lib/remove.test.ts',
  'src/lifecycle/watch/watch-paths.test.ts',
  'src/plugins/runtime-process/watch-agents.test.ts',
  'test/flow/failed-transfer.test.ts',
  'test/forges/outgoing-addresses.test.ts',
  'test/{faults,rehearsal}/*.test.ts',
  'test/agh/daemon*.test.ts',
  'test/agh/lost-connection.test.ts',
  'test/contract/runtime-*.test.ts',
]

export default defineConfig({
  test: {
    // A worker takes one file after the other: loading everything again for each took a twentieth of the CPU.
    isolate: false,
    setupFiles: ['test/support/settle-imports.ts'],
    globalSetup: ['test/support/build-once.ts', 'test/support/homes-in-memory.ts'],
    // Real processes on a loaded two-core machine: waiting is by condition, this is only the last resort.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Three for each of two cores: most tests wait for other processes, and four left a third of the time unused.
    maxWorkers: 6,
    sequence: { sequencer: LongFirst },
    reporters: process.env['CI'] ? ['default', './test/support/closing-line.ts'] : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'flows',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...LEFT_OUT, ...ALONE],
          // They start git thousands of times, and every time the kernel copies the page tables of the whole worker.
          execArgv: ['--max-semi-space-size=1'],
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, isolate: true } },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ALONE],
        },
      },
    ],
  },
})
