import { describe, expect, it } from 'vitest'
import { AoError } from './errors.ts'
import { explainError } from './explain-error.ts'

function systemError(code: string, syscall = 'open', path = '/home/someone/x'): Error {
  return Object.assign(new Error(`${code}: it failed, ${syscall} '${path}'`), { code, syscall, path })
}

describe('what the operating system refuses', () => {
  it.each([
    ['ENOSPC', 'DISK_FULL'],
    ['EDQUOT', 'DISK_FULL'],
    ['EROFS', 'DISK_READ_ONLY'],
    ['EACCES', 'ACCESS_DENIED'],
    ['EPERM', 'ACCESS_DENIED'],
    ['EIO', 'FILE_UNUSABLE'],
    ['EBUSY', 'FILE_UNUSABLE'],
    ['ENOENT', 'FILE_UNUSABLE'],
    ['ELOOP', 'FILE_UNUSABLE'],
    ['EISDIR', 'FILE_UNUSABLE'],
    ['ENOTDIR', 'FILE_UNUSABLE'],
    ['EMFILE', 'TOO_MANY_FILES'],
    ['ENFILE', 'TOO_MANY_FILES'],
  ])('%s is an error of its own, %s, that names the file and the call', (system, code) => {
    const explained = explainError(systemError(system))
    expect(explained).toMatchObject({ code, details: { system, path: '/home/someone/x' } })
    expect(explained.message).toContain('/home/someone/x')
    expect(explained.message).toContain(system)
    expect(explained.message).not.toContain('inside ao')
  })

  it('is explained without a path too', () => {
    expect(explainError(Object.assign(new Error('x'), { code: 'ENOSPC', syscall: 'write' })).message).toBe(
      'There is no space left on the disk (ENOSPC, write)',
    )
  })
})

it('leaves errors with a code as they are', () => {
  const error = new AoError('USAGE', 'no')
  expect(explainError(error)).toBe(error)
})

it.each([
  [new TypeError('x is undefined')],
  [systemError('EWHATEVER')],
  ['text'],
  [Object.assign(new Error('x'), { code: 'EACCES' })],
])('takes the rest for a mistake of the program: %s', (error) => {
  expect(explainError(error, 'agh')).toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('inside agh') })
})
