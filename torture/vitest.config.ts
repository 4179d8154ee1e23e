import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['torture/*.torture.ts'],
    globalSetup: ['test/support/build-once.ts', 'torture/results.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
