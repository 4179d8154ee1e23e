import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Real processes on a loaded two-core machine: waiting is by condition, this is only the last resort.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: process.env['CI'] ? ['default', './test/support/closing-line.ts'] : ['default'],
  },
})
