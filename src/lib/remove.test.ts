import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { removeFile, removeTree } from './remove.ts'

const failure = vi.hoisted(() => ({ error: null as Error | null }))
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>()
  const rmSync: typeof fs.rmSync = (path, options) => {
    if (failure.error) throw failure.error
    fs.rmSync(path, options)
  }
  return { ...fs, rmSync }
})

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-remove-'))
})
afterEach(() => {
  failure.error = null
  rmSync(directory, { recursive: true, force: true })
})

it('removes a file, and is content when there is none', () => {
  const file = join(directory, 'file')
  writeFileSync(file, '')
  removeFile(file)
  expect(existsSync(file)).toBe(false)
  removeFile(file)
  removeTree(file)
})

it('removes a link, never what it leads to', () => {
  const kept = join(directory, 'kept')
  mkdirSync(kept)
  writeFileSync(join(kept, 'file'), '')
  for (const remove of [removeFile, removeTree]) {
    symlinkSync(kept, join(directory, 'link'))
    remove(join(directory, 'link'))
    expect(existsSync(join(directory, 'link'))).toBe(false)
  }
  expect(existsSync(join(kept, 'file'))).toBe(true)
})

it('removes a directory only as a tree', () => {
  mkdirSync(join(directory, 'a', 'b'), { recursive: true })
  // EISDIR on Linux, EPERM on macOS.
  expect(() => removeFile(join(directory, 'a'))).toThrow(/EISDIR|EPERM/)
  removeTree(join(directory, 'a'))
  expect(existsSync(join(directory, 'a'))).toBe(false)
})

it('does not take a file in place of a directory for nothing', () => {
  writeFileSync(join(directory, 'file'), '')
  expect(() => removeFile(join(directory, 'file', 'x'))).toThrow('ENOTDIR')
})

it.each([
  ['No space left on device', 'ENOSPC'],
  ['Disk quota exceeded', 'EDQUOT'],
  ['Read-only file system', 'EROFS'],
  ['Input/output error', 'EIO'],
  ['Too many open files', 'EMFILE'],
  ['Too many open files in system', 'ENFILE'],
  ['Device or resource busy', 'EBUSY'],
])('gives an error its code again that Node 24 lost: %s', (strerror, code) => {
  const path = '/tmp/Read-only file system'
  const error = new Error(`, Unknown error: ${strerror} '${path}'`)
  failure.error = Object.assign(error, { code: '', errno: -4094, syscall: 'rm', path })
  expect(() => removeTree(path)).toThrow(expect.objectContaining({ code, syscall: 'rm', path }))
})

it('leaves other errors as they are', () => {
  const unknown = Object.assign(new Error(", Unknown error: Something '/Input/output error'"), { code: '' })
  for (const error of [unknown, Object.assign(new Error('x'), { code: 'EPERM' })]) {
    failure.error = error
    expect(() => removeTree(directory)).toThrow(error)
  }
  expect(unknown.code).toBe('')
})
