import { defineConfig } from 'vitest/config'
import { THOROUGH } from './test/support/cover.ts'
import { LongFirst } from './test/support/long-first.ts'

// What tmux goes through at every point, again over ACP; and engines of their own. `npm run test:thorough` has them.
const LEFT_OUT = THOROUGH ? [] : ['test/flow/acp-crash.test.ts', 'test/flow/places.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/support/build-once.ts', 'test/support/homes-in-memory.ts'],
    // Real processes on a loaded two-core machine: waiting is by condition, this is only the last resort.
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
          exclude: ['**/node_modules/**', ...LEFT_OUT],
          // Isolated: a plugin that is still being loaded when its test ends would fail to load in the next file of that worker.
        },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
          // They change nothing outside themselves, so one worker after the other need not load everything again: half the time.
          isolate: false,
        },
      },
    ],
  },
})
