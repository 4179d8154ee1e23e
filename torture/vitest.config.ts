import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['torture/*.torture.ts'], testTimeout: 3_600_000, hookTimeout: 60_000, maxWorkers: 1 },
})
