import { mkdtempSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileMemory, type FileMemory } from '../../lib/file-memory.ts'
import { readStored, type StoredSession } from './session-file.ts'

let folder: string
let file: string
let memory: FileMemory<StoredSession>
const LONG_AGO = new Date(Date.now() - 60_000)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ao-record-memory-'))
  file = join(folder, 'app-1')
  memory = createFileMemory()
  write('branch=one\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(text: string, at = LONG_AGO): void {
  const fresh = `${file}.new`
  writeFileSync(fresh, text)
  utimesSync(fresh, at, at)
  renameSync(fresh, file)
}

const read = () => memory.recall(file) ?? readStored('app-1', file, memory)

describe('records that were read before', () => {
  it('are not read again while they are the same', () => {
    expect(read()).toBe(read())
  })

  it.each([
    ['replaced', () => write('branch=two\n')],
    ['edited in place, to the same length', () => writeFileSync(file, 'branch=two\n')],
    [
      'edited in place by a program that sets the times back',
      () => {
        const { atime, mtime } = statSync(file)
        writeFileSync(file, 'branch=two\n')
        utimesSync(file, atime, mtime)
      },
    ],
  ])('are read again when they were %s', (_how, change) => {
    expect(read()?.pairs.branch).toBe('one')
    change()
    expect(read()?.pairs.branch).toBe('two')
  })

  it('are gone when the file is, and a link in its place is not followed', () => {
    read()
    rmSync(file)
    expect(read()).toBeNull()
    writeFileSync(join(folder, 'other'), 'branch=other\n')
    symlinkSync(join(folder, 'other'), file)
    expect(read()).toMatchObject({ isUnreadable: true })
  })

  it('are read again while they are so young that a second change could look the same', () => {
    write('branch=one\n', new Date())
    const first = read()
    expect(read()).not.toBe(first)
  })

  it('are dropped when there are far fewer records by now', () => {
    const first = read()
    for (let n = 0; n < 600; n++) memory.keep(join(folder, `x-${n}`), first!, statSync(file))
    memory.limit(10)
    expect(memory.recall(file)).toBeNull()
  })
})
