import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { hashDirectory } from './hash-directory.ts'

let temp: TempHome
let root: string
beforeEach(() => {
  temp = createTempHome()
  root = join(temp.home, 'plugin')
  mkdirSync(root)
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

describe('hashDirectory', () => {
  it('is the same for the same content, wherever it lies and in whatever order it was made', () => {
    write('a.js', '1')
    write('b/c.js', '2')
    const first = hashDirectory(root)
    rmSync(root, { recursive: true })
    root = join(temp.home, 'elsewhere')
    write('b/c.js', '2')
    write('a.js', '1')
    expect(hashDirectory(root)).toBe(first)
  })

  it('differs for any two trees that differ', () => {
    const tree = fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'c/d', 'c/e'), fc.string({ maxLength: 3 }), {
      maxKeys: 4,
    })
    const hashOf = (files: Record<string, string>) => {
      rmSync(root, { recursive: true, force: true })
      mkdirSync(root)
      for (const [path, content] of Object.entries(files)) write(path, content)
      return hashDirectory(root)
    }
    const canonical = (files: Record<string, string>) => JSON.stringify(Object.entries(files).toSorted())
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        expect(hashOf(one) === hashOf(other)).toBe(canonical(one) === canonical(other))
      }),
      { numRuns: 60 },
    )
  })

  it('sees where links lead and what lies there', () => {
    writeFileSync(join(temp.home, 'outside'), '1')
    symlinkSync(join(temp.home, 'outside'), join(root, 'link'))
    const first = hashDirectory(root)
    writeFileSync(join(temp.home, 'outside'), '2')
    expect(hashDirectory(root)).not.toBe(first)
    symlinkSync('nowhere', join(root, 'broken'))
    symlinkSync('.', join(root, 'circle'))
    expect(hashDirectory(root)).toMatch(/^[0-9a-f]{64}$/)
    symlinkSync(temp.home, join(root, 'out'))
    expect(() => hashDirectory(root)).toThrow('out is a link to a directory outside')
  })

  it.each([
    ['too many files', { files: 2, bytes: 100 }, 'holds more files'],
    ['too much content', { files: 9, bytes: 2 }, 'holds more bytes'],
  ])('refuses %s', (_what, limits, message) => {
    for (const name of ['a', 'b', 'c']) write(name, 'x')
    expect(() => hashDirectory(root, limits)).toThrow(message)
  })

  it('refuses what is not a file, without waiting for it', () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(() => hashDirectory(root)).toThrow('pipe is neither a file nor a directory')
  })
})
