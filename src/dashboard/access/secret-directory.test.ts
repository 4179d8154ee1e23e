import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { openSecretDirectory } from './secret-directory.ts'

let temp: TempHome
let now: number
beforeEach(() => {
  temp = createTempHome()
  now = Date.parse('2026-03-04T12:00:00Z')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const open = (most = 3) =>
  openSecretDirectory(join(temp.home, 'secrets'), { goodForMs: 1000, most, clock: { now: () => new Date(now) } })

it('takes a secret once, also from another process', () => {
  const secret = open().give()
  expect(open().isGood(secret)).toBe(true)
  expect(open().take(secret)).toBe(true)
  expect(open().take(secret)).toBe(false)
  expect(open().isGood(secret)).toBe(false)
})

it('knows no secret that was not given, whatever it looks like', () => {
  open().give()
  for (const guess of ['', '.', '..', '../secrets', 'x'.repeat(10_000), '\0']) {
    expect(open().isGood(guess)).toBe(false)
    expect(open().take(guess)).toBe(false)
  }
})

it('ends a secret with its time, and tidies up', () => {
  const secret = open().give()
  now += 1000
  expect(open().isGood(secret)).toBe(false)
  expect(open().take(secret)).toBe(false)
  open().give()
  expect(readdirSync(join(temp.home, 'secrets'))).toHaveLength(1)
})

it('keeps a limited number, and its files to itself', () => {
  const given = Array.from({ length: 6 }, () => {
    now += 1
    return open().give()
  })
  expect(readdirSync(join(temp.home, 'secrets'))).toHaveLength(3)
  expect(open().isGood(given.at(-1)!)).toBe(true)
  for (const name of readdirSync(join(temp.home, 'secrets')))
    expect(statSync(join(temp.home, 'secrets', name)).mode & 0o777).toBe(0o600)
})
