import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readKept } from './copied-attachments.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-kept-'))
  for (const text of ['one', 'two', 'six'])
    writeFileSync(join(directory, `${createHash('sha256').update(text).digest('hex')}.txt`), text)
  writeFileSync(join(directory, `${'0'.repeat(64)}.txt`), 'not what was sent')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it.each([
  ['all that are what was sent', { files: 9, bytes: 1_000 }, 3, 1],
  ['no more files than there is room for', { files: 2, bytes: 1_000 }, 2, 2],
  ['no more bytes than there is room for', { files: 9, bytes: 8 }, 2, 2],
  ['nothing without room', { files: 9, bytes: -1 }, 0, 4],
])('reads %s of the kept files, and counts the others', (_what, room, kept, leftOut) => {
  const read = readKept(directory, room)
  expect([read.kept.length, read.leftOut]).toEqual([kept, leftOut])
})
