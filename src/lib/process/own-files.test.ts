import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ownFiles, rememberOwnFiles } from './own-files.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-own-'))
  for (const name of ['ao.js', 'chunk-1.js']) writeFileSync(join(directory, name), name)
  rememberOwnFiles(join(directory, 'ao.js'), [join(directory, 'chunk-1.js')])
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('the same files are the same', () => {
  expect(ownFiles()).toBe('same')
})

it('an entry that another file took the place of is replaced', () => {
  writeFileSync(join(directory, 'new'), 'ao.js')
  renameSync(join(directory, 'new'), join(directory, 'ao.js'))
  expect(ownFiles()).toBe('replaced')
})

it('an entry whose parts were removed is replaced', () => {
  rmSync(join(directory, 'chunk-1.js'))
  expect(ownFiles()).toBe('replaced')
})

it('without an entry they are gone', () => {
  rmSync(directory, { recursive: true })
  expect(ownFiles()).toBe('gone')
})
