import { expect, it, vi } from 'vitest'
import { createWatchedPaths } from './watch-paths.ts'

const opened = vi.hoisted((): string[] => [])
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  watch(path: string) {
    opened.push(path)
    return { on: () => undefined, close: () => undefined }
  },
}))

it('a directory is watched before those in it: one that appears meanwhile is a change in the outer one', () => {
  const target = (path: string) => ({ path, onChange: () => undefined })
  createWatchedPaths(() => undefined).set(['/home/.pi/agent/sessions/a', '/home/.pi', '/home/.pi/agent'].map(target))
  expect(opened).toEqual(['/home/.pi', '/home/.pi/agent', '/home/.pi/agent/sessions/a'])
})
