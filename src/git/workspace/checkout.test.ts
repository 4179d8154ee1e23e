import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRepo } from '../../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { requireCheckout, withScratch } from './checkout.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

it('keeps the scratch directory of whoever is still at work, and removes what ended processes left', async () => {
  const repo = createRepo(join(temp.home, 'repo'), temp.env)
  const checkout = requireCheckout(repo, temp.env)
  const left = ['ao-rescue-IQEMxE', 'ao-rescue-1:1:00000000-1_abcdef'].map((name) => join(checkout.gitDir, name))
  for (const path of left) mkdirSync(path)
  await withScratch(checkout, async (outer) => {
    await withScratch(checkout, async (inner) => expect(inner).not.toBe(outer))
    expect(existsSync(outer)).toBe(true)
  })
  expect(left.map((path) => existsSync(path))).toEqual([false, false])
})
