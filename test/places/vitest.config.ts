import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/places/*.places.ts', 'test/flow/places.test.ts'],
    globalSetup: ['test/support/build-once.ts', 'test/places/install-engines.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
})
