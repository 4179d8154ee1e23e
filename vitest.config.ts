import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/support/long-first.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Real processes on a loaded two-core machine: waiting is by condition, this is only the last resort.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Twice the usual two cores: most tests wait for other processes.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    reporters: process.env['CI'] ? ['default', './test/support/closing-line.ts'] : ['default'],
  },
})
