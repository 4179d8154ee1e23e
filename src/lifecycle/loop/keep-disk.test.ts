import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { systemClock } from '../../lib/clock.ts'
import { keepDisk, shortenLog } from './keep-disk.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

it('keeps the end of a long log in a second file and lets its writer continue', () => {
  const file = join(temp.home, 'loop.log')
  const writer = openSync(file, 'a')
  writeSync(writer, `${'x'.repeat(100)}the end\n`)
  expect(shortenLog(file, 1_000, 8)).toBe(false)
  expect(shortenLog(file, 50, 8)).toBe(true)
  writeSync(writer, 'new line\n')
  closeSync(writer)
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('the end\n')
  expect(readFileSync(file, 'utf8')).toBe('new line\n')
})

it('a missing log is short', () => {
  expect(shortenLog(join(temp.home, 'none'))).toBe(false)
  writeFileSync(join(temp.home, 'small'), 'x')
  expect(shortenLog(join(temp.home, 'small'))).toBe(false)
})

it('is over once it was closed, also in the middle of its work', async () => {
  vi.useFakeTimers()
  try {
    const warnings: string[] = []
    const log = { warn: (line: string) => warnings.push(line) }
    const keeper = keepDisk({ config: { projects: {} }, clock: systemClock, log } as never, () => undefined)
    vi.advanceTimersByTime(10 * 60_000)
    keeper.close()
    await vi.dynamicImportSettled()
    await vi.advanceTimersByTimeAsync(0)
    expect([vi.getTimerCount(), warnings]).toEqual([0, []])
  } finally {
    vi.useRealTimers()
  }
})
