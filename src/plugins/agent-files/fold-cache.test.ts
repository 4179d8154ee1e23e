import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../lib/log.ts'
import { type Fold, openFoldCache } from './fold-cache.ts'

interface Sum {
  sum: number
}

const summing = (steps: { count: number }, rules = 'sum-1'): Fold<Sum> => ({
  rules,
  start: () => ({ sum: 0 }),
  step: (state, record) => {
    steps.count++
    state.sum += Number(record.n)
  },
})

let directory: string
let cacheFile: string
let file: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aot-fold-'))
  cacheFile = join(directory, 'usage-cache.json')
  file = join(directory, 'records.jsonl')
  writeFileSync(file, '{"n":1}\n{"n":2}\n')
})
afterEach(() => rmSync(directory, { recursive: true }))

/** As a new process does it: open, fold, save. */
async function total(fold: Fold<Sum>, path = file) {
  const cache = await openFoldCache(cacheFile, silentLog)
  const folded = await cache.fold(path, fold)
  await cache.save()
  return folded
}

describe('sums that continue in the next process', () => {
  it('reads only what is new', async () => {
    const steps = { count: 0 }
    expect((await total(summing(steps)))?.state.sum).toBe(3)
    appendFileSync(file, '{"n":10}\n')
    expect((await total(summing(steps)))?.state.sum).toBe(13)
    expect(steps.count).toBe(3)
  })

  it('writes its file only when something changed', async () => {
    await total(summing({ count: 0 }))
    const before = statSync(cacheFile).ino
    await total(summing({ count: 0 }))
    expect(statSync(cacheFile).ino).toBe(before)
    expect(readFileSync(cacheFile, 'utf8')).not.toContain('\n')
  })

  it('is right after the file was replaced or cut', async () => {
    await total(summing({ count: 0 }))
    writeFileSync(file, '{"n":5}\n{"n":6}\n{"n":7}\n')
    expect((await total(summing({ count: 0 })))?.state.sum).toBe(18)
    writeFileSync(file, '{"n":9}\n')
    expect((await total(summing({ count: 0 })))?.state.sum).toBe(9)
  })

  it('is right when the cache is damaged in any way', async () => {
    await total(summing({ count: 0 }))
    const good = readFileSync(cacheFile, 'utf8')
    const damages = ['', '{', 'null', '[]', '{"digest":1,"entries":2}', good.slice(0, 40), good.replaceAll('3', '4')]
    for (const damage of damages) {
      writeFileSync(cacheFile, damage)
      expect((await total(summing({ count: 0 })))?.state.sum).toBe(3)
    }
  })

  it('does not continue with a state that other rules made', async () => {
    await total(summing({ count: 0 }))
    const steps = { count: 0 }
    expect((await total(summing(steps, 'sum-2')))?.state.sum).toBe(3)
    expect(steps.count).toBe(2)
  })

  it('counts damaged lines once', async () => {
    appendFileSync(file, 'broken\n')
    expect(await total(summing({ count: 0 }))).toMatchObject({ damaged: 1, complete: true })
    appendFileSync(file, '{"n":1}\n')
    expect(await total(summing({ count: 0 }))).toMatchObject({ damaged: 1, state: { sum: 4 } })
  })

  it('says when a file was too long for one reading, and continues the next time', async () => {
    const cache = await openFoldCache(cacheFile, silentLog)
    const part = await cache.fold(file, summing({ count: 0 }), { maxBytes: 9 })
    expect(part).toMatchObject({ complete: false, state: { sum: 1 } })
    await cache.save()
    expect(await total(summing({ count: 0 }))).toMatchObject({ complete: true, state: { sum: 3 } })
  })

  it('works where it cannot write, and creates no directory', async () => {
    cacheFile = join(directory, 'gone', 'usage-cache.json')
    expect((await total(summing({ count: 0 })))?.state.sum).toBe(3)
    expect(existsSync(join(directory, 'gone'))).toBe(false)
  })

  it('is null for a missing file', async () => {
    expect(await total(summing({ count: 0 }), join(directory, 'nothing'))).toBeNull()
    expect(existsSync(cacheFile)).toBe(false)
  })
})
