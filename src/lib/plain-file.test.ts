import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  MAX_BYTES,
  openEmpty,
  openForAppend,
  readBytes,
  readIfReachable,
  readIfThere,
  readPlainText,
  readSince,
  readTail,
} from './plain-file.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-plain-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const at = (name: string) => join(directory, name)

describe('what is not a plain file', () => {
  const makers: Array<[kind: string, make: (path: string) => unknown, message: RegExp]> = [
    ['a named pipe', (path) => execFileSync('mkfifo', [path]), /is a (socket or a )?named pipe/],
    ['a directory', (path) => mkdirSync(path), /is a directory/],
    ['a link to a device', (path) => symlinkSync('/dev/zero', path), /is a (device|symbolic link)/],
    ['a link to itself', (path) => symlinkSync(path, path), /symbolic link/],
  ]

  it.each(makers)('is refused by every reader and writer: %s', (_kind, make, message) => {
    make(at('x'))
    const uses = [
      () => readPlainText(at('x')),
      () => readBytes(at('x')),
      () => readIfThere(at('x')),
      () => readTail(at('x'), 10),
      () => openForAppend(at('x')),
      () => openEmpty(at('x')),
    ]
    for (const use of uses) {
      expect(use).toThrow(message)
      expect(use).toThrow(expect.objectContaining({ code: 'FILE_UNUSABLE' }))
    }
  })

  it('is refused when it is a socket', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(at('x'), resolve))
    try {
      expect(() => readPlainText(at('x'))).toThrow(/is a socket/)
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })
})

describe('reading', () => {
  it('returns the whole text, an empty one too, and null for a missing file', () => {
    writeFileSync(at('a'), 'grüße\n')
    writeFileSync(at('empty'), '')
    expect(readPlainText(at('a'))).toBe('grüße\n')
    expect(readPlainText(at('empty'))).toBe('')
    expect(readIfThere(at('missing'))).toBeNull()
    expect(() => readPlainText(at('missing'))).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  })

  it('takes a file in place of a directory for missing only where others lay out the path', () => {
    writeFileSync(at('a'), '')
    const below = join(at('a'), 'below a file')
    expect(() => readIfThere(below)).toThrow(expect.objectContaining({ code: 'ENOTDIR' }))
    expect(readIfReachable(below)).toBeNull()
    expect(readIfReachable(at('missing'))).toBeNull()
    mkdirSync(at('directory'))
    expect(() => readIfReachable(at('directory'))).toThrow(expect.objectContaining({ code: 'FILE_UNUSABLE' }))
  })

  it('reads files that do not say how long they are', () => {
    expect(readPlainText('/proc/self/status')).toContain('VmRSS')
  })

  it('refuses more than it was asked for rather than cutting it', () => {
    writeFileSync(at('a'), 'x'.repeat(100))
    expect(readPlainText(at('a'), { maxBytes: 100 })).toHaveLength(100)
    expect(() => readPlainText(at('a'), { maxBytes: 99 })).toThrow(/is larger than 99 bytes/)
    execFileSync('truncate', ['--size', String(MAX_BYTES + 1), at('large')])
    expect(() => readPlainText(at('large'))).toThrow(/is larger than/)
  })

  it('follows a link only where that is right', () => {
    writeFileSync(at('a'), 'text')
    symlinkSync(at('a'), at('link'))
    expect(readPlainText(at('link'))).toBe('text')
    expect(() => readPlainText(at('link'), { noFollow: true })).toThrow(/symbolic link/)
  })

  it('gives the end of a file, and what was written since', () => {
    writeFileSync(at('a'), 'before after')
    expect(readTail(at('a'), 5).toString()).toBe('after')
    expect(readTail(at('a'), 500).toString()).toBe('before after')
    expect(readSince(at('a'), 7, 100)).toBe('after')
    expect(readSince(at('a'), 7, 2)).toBe('er')
    expect(readSince(at('a'), 100, 100)).toBe('')
  })

  it('empties a file that is to be written anew', () => {
    writeFileSync(at('a'), 'old')
    openEmpty(at('a'))
    expect(readFileSync(at('a'), 'utf8')).toBe('')
  })
})
