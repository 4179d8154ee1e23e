import { defineConfig } from 'vitest/config'

// One campaign in a process of its own, as run.ts starts it.
export default defineConfig({
  test: {
    include: ['torture/*.torture.ts'],
    globalSetup: ['test/support/build-once.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
