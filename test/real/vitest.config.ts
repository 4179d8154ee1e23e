import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/real/*.real.ts'],
    globalSetup: ['test/support/build-once.ts', 'test/real/install-agents.ts'],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
