import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { shortenHooks } from './trim-hook-log.ts'

describe('shortenHooks', () => {
  let temp: TempHome
  let file: string
  beforeEach(() => {
    temp = createTempHome()
    file = join(temp.home, 'hooks.jsonl')
  })
  afterEach(async () => {
    expect(await temp.cleanup()).toEqual([])
  })
  const line = (event: string, number: number) => `${JSON.stringify({ event, number })}\n`
  const numbers = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((text) => (JSON.parse(text) as { number: number }).number)

  it('keeps whole lines of the end and every start of a session', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => line(n % 50 === 0 ? 'SessionStart' : 'PostToolUse', n))
    writeFileSync(file, lines.join(''))
    expect(await shortenHooks(file, { longest: 1_000, kept: 500 })).toBe(true)
    expect(numbers().slice(0, 4)).toEqual([0, 50, 100, 150])
    expect(numbers().at(-1)).toBe(199)
    expect(statSync(file).size).toBeLessThan(1_000)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await shortenHooks(file, { longest: 1_000, kept: 500 })).toBe(false)
  })

  it('loses no line that a hook writes meanwhile', async () => {
    writeFileSync(file, Array.from({ length: 100 }, (_, n) => line('Stop', n)).join(''))
    const { openSync, writeSync, closeSync } = await import('node:fs')
    const open = openSync(file, 'a')
    const done = shortenHooks(file, { longest: 1_000, kept: 200 })
    writeSync(open, line('Stop', 1_000))
    closeSync(open)
    appendFileSync(file, line('Stop', 1_001))
    await done
    expect(
      numbers()
        .filter((number) => number >= 1_000)
        .sort(),
    ).toEqual([1_000, 1_001])
  })

  it('leaves a short file and a missing one alone', async () => {
    expect(await shortenHooks(file)).toBe(false)
    writeFileSync(file, line('Stop', 1))
    expect(await shortenHooks(file)).toBe(false)
    expect(numbers()).toEqual([1])
  })
})
