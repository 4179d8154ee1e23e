import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { readWatch, writeWatch } from '../../landing/watch/watch-file.ts'
import { keepWatch, type WatchedBase } from './keep-watch.ts'
import type { LoopContext } from './loop-context.ts'

let projectDir: string
let now: number
let reverts: number
let notified: string[]
beforeEach(() => {
  projectDir = mkdtempSync(join(tmpdir(), 'ao-watch-'))
  now = 0
  reverts = 0
  notified = []
  writeWatch(join(projectDir, 'landing'), { green: 'g', red: { commit: 'bad', check: 'test', pull: 3, sent: true } })
})
afterEach(() => rmSync(projectDir, { recursive: true, force: true }))

const round = (failure: Error | null) => {
  const loop = {
    context: { clock: { now: () => new Date(now) } },
    say: () => undefined,
    notify: async ({ dedupeKey }: { dedupeKey: string }) => void notified.push(dedupeKey),
  } as unknown as LoopContext
  const base: WatchedBase = {
    project: { id: 'app', name: 'app', landing: { watch: 'revert' } } as ProjectConfig,
    projectDir,
    watch: async () => readWatch(join(projectDir, 'landing')),
    pullOf: (number) => ({ number, title: 'Break it', url: 'u', session: null }),
    logOf: async () => '',
    async revert() {
      reverts += 1
      if (failure) throw failure
      return { number: 4, headSha: 'h', isOpen: true }
    },
  }
  return keepWatch(loop, base)
}
const red = () => readWatch(join(projectDir, 'landing')).red

it('reverts a red commit once a forge that did not answer answers again, and asks it every ten minutes at most', async () => {
  await round(new Error('fetch failed'))
  now += 9 * 60_000
  await round(null)
  expect([reverts, red()?.revert]).toEqual([1, undefined])
  now += 60_000
  await round(null)
  await round(null)
  expect([reverts, red()?.revert]).toEqual([2, 4])
  expect(notified).toContain('revert-failed app bad')
})

it('gives up on a commit that later work needs', async () => {
  await round(new AoError('PR_NOT_MERGEABLE', 'bad cannot be reverted alone: a.ts'))
  now += 60 * 60_000
  await round(null)
  expect([reverts, red()?.revert]).toEqual([1, 0])
})
