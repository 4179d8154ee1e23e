import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { createWatchedPaths, type WatchedPaths } from './watch-paths.ts'

const system = vi.hoisted(() => ({ opened: [] as string[], isFull: (_path: string): boolean => false }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    watch(...given: Parameters<typeof real.watch>) {
      const path = String(given[0])
      if (system.isFull(path)) throw Object.assign(new Error('too many'), { code: 'ENOSPC' })
      system.opened.push(path)
      return existsSync(path) ? real.watch(...given) : { on: () => undefined, close: () => undefined }
    },
  }
})

let root: string
let troubles: string[]
let watched: WatchedPaths
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aot-'))
  troubles = []
  system.opened.length = 0
  system.isFull = () => false
  watched = createWatchedPaths((why) => troubles.push(why))
})
afterEach(() => {
  watched.close()
  vi.useRealTimers()
  rmSync(root, { recursive: true, force: true })
})

const target = (path: string) => ({ path, onChange: () => undefined })

it('a directory is watched before those in it: one that appears meanwhile is a change in the outer one', () => {
  const [outer, middle, inner] = ['.pi', '.pi/agent', '.pi/agent/sessions/a'].map((path) => join(root, path))
  mkdirSync(inner!, { recursive: true })
  watched.set([inner!, outer!, middle!].map(target))
  expect(system.opened).toEqual([outer, middle, inner])
})

it('what does not exist yet is watched once it does, and the system is not asked before', () => {
  const paths = Array.from({ length: 100 }, (_, index) => join(root, `state-${index}`))
  watched.set(paths.map(target))
  expect(system.opened).toEqual([])
  mkdirSync(paths[7]!)
  watched.set(paths.map(target))
  expect(system.opened).toEqual([paths[7]])
  expect(troubles).toEqual([])
})

it('each file is there at one of the reports, also in a directory that was made a moment ago', async () => {
  const found = new Set<string>()
  const onChange = (name: string | null) => {
    const [directory] = name?.split('/') ?? []
    if (directory && existsSync(join(root, directory, 'result'))) found.add(directory)
  }
  watched.set([{ path: root, recursive: true, onChange }])
  for (let round = 0; round < 200; round++) {
    mkdirSync(join(root, String(round)))
    // Before, while and after the new directory is watched.
    if (round % 3 > 0)
      await new Promise((resolve) => (round % 3 === 1 ? setImmediate(resolve) : setTimeout(resolve, 1)))
    writeFileSync(join(root, String(round), 'result'), '')
  }
  await waitFor('all of them', () => found.size === 200)
})

describe('beyond the number of watches that the system allows', () => {
  it('a path counts as changed now and then, until it can be watched', () => {
    vi.useFakeTimers()
    const changes: Array<string | null> = []
    system.isFull = () => true
    const target = { path: root, onChange: (name: string | null) => changes.push(name) }
    watched.set([target])
    expect(troubles).toEqual([`${root} cannot be watched: ENOSPC`])
    vi.advanceTimersByTime(20_000)
    watched.set([target])
    expect(changes).toEqual([null, null])
    system.isFull = () => false
    vi.advanceTimersByTime(60_000)
    expect(system.opened).toEqual([root])
    expect(changes).toEqual([null, null, null])
  })

  it('a new directory below a watched one makes all of it polled, and nothing is polled once it is closed', async () => {
    const changes: Array<string | null> = []
    watched.set([{ path: root, recursive: true, onChange: (name) => changes.push(name) }])
    system.isFull = (path) => path !== root
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    mkdirSync(join(root, 'new'))
    await vi.waitUntil(() => vi.getTimerCount() === 1, { interval: 5 })
    vi.advanceTimersByTime(10_000)
    expect(changes).toEqual(['new', null])
    watched.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
