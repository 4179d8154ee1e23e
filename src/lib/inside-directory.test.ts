// Hostile paths, in one table for everybody who confines one.
import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { isInside, pathInside, realPathOf, relativePath, staysInside } from './inside-directory.ts'
import { readPlainText } from './plain-file.ts'

let temp: TempHome
let home: string
let root: string

beforeEach(() => {
  temp = createTempHome()
  home = realpathSync(temp.home)
  root = join(home, 'work')
  mkdirSync(join(root, 'src'), { recursive: true })
  mkdirSync(join(home, 'work-2'))
  mkdirSync(join(home, 'outside', 'deep'), { recursive: true })
  writeFileSync(join(home, 'outside', 'secret'), 'secret')
  writeFileSync(join(root, 'file'), 'content')
  const links: Record<string, string> = {
    out: '../outside',
    'absolute-out': join(home, 'outside'),
    'to-root': '/',
    within: 'src',
    'to-itself': '.',
    dangling: join(home, 'not-there'),
    'dangling-within': 'src/not-there',
    circle: 'circle',
    // The kernel follows `deep` before it goes up; taken as text this would be `work/secret`, which is there as a decoy.
    deep: '../outside/deep',
    tricky: 'deep/../secret',
    'tricky-dangling': 'deep/../new',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name))
  writeFileSync(join(root, 'secret'), 'decoy')
})

afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

describe('pathInside', () => {
  it.each([
    ['file', 'file'],
    ['src', 'src'],
    ['src/', 'src'],
    ['file/', 'file'],
    ['.', ''],
    ['', ''],
    ['src/new/deep.ts', 'src/new/deep.ts'],
    ['./src/../b.txt', 'b.txt'],
    ['..name/x', '..name/x'],
    ['...', '...'],
    ['within/new.ts', 'src/new.ts'],
    ['to-itself/file', 'file'],
    ['dangling-within', 'src/not-there'],
    ['a\\..\\b', 'a\\..\\b'],
    ['ünïcode/e\u0301', 'ünïcode/e\u0301'],
  ])('accepts %j, with links resolved', (path, real) => {
    expect(pathInside(root, path)).toBe(join(root, real))
    expect(pathInside(root, join(root, path))).toBe(join(root, real))
  })

  it.each([
    '..',
    '../outside/secret',
    '../work-2/a',
    'src/../../outside',
    'src/../../work-2',
    '/etc/passwd',
    'out',
    'out/',
    'out/secret',
    'out/new/deep',
    'absolute-out/secret',
    'to-root/etc/passwd',
    'dangling',
    'dangling/x',
    'circle',
    'circle/x',
    'tricky',
    'tricky-dangling',
    'file/x',
    'a\0b',
    '\0',
  ])('refuses %j', (path) => expect(pathInside(root, path)).toBeNull())

  it('contains nothing when the directory is missing, and takes an absolute path as it is', () => {
    expect(pathInside(join(home, 'missing'), 'a')).toBeNull()
    expect(pathInside(root, join(home, 'outside', 'secret'))).toBeNull()
    expect(pathInside('/', '/etc')).toBe(realPathOf('/etc'))
  })

  it('does not take another case for the same directory where the file system does not', () => {
    expect(pathInside(root, join(home, 'WORK', 'file'))).toBeNull()
  })

  it('resolves the directory itself', () => {
    symlinkSync(root, join(home, 'link-to-work'))
    expect(pathInside(join(home, 'link-to-work'), 'file')).toBe(join(root, 'file'))
    expect(pathInside(root, join(home, 'link-to-work', 'file'))).toBe(join(root, 'file'))
  })

  it('judges this moment: a link swapped in is refused when asked again, and its reader follows none', () => {
    const before = pathInside(root, 'file')!
    renameSync(join(root, 'file'), join(root, 'old'))
    symlinkSync('../outside/secret', join(root, 'file'))
    expect(pathInside(root, 'file')).toBeNull()
    expect(() => readPlainText(before, { noFollow: true })).toThrow(/ELOOP|link/)
  })
})

describe('isInside', () => {
  it.each([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/', '/a', true],
    ['/a', '/ab', false],
    ['/a/b', '/a', false],
    ['/a', '/A', false],
  ])('%s contains %s: %s', (directory, path, answer) => expect(isInside(directory, path)).toBe(answer))
})

describe('relativePath', () => {
  it.each([
    ['a/b', 'a/b'],
    ['./a//b/', 'a/b'],
    ['.env', '.env'],
    ['.github/x', '.github/x'],
  ])('normalizes %j', (path, normal) => expect(relativePath(path)).toBe(normal))

  it.each([
    '',
    '.',
    './',
    '..',
    'a/..',
    'a/../b',
    'a\\..\\b',
    '/a',
    'a\0b',
    '.git',
    '.git/hooks',
    'sub/.GIT/config',
    '.g\u200cit',
    'GIT~1/config',
  ])('refuses %j', (path) => expect(relativePath(path)).toBeNull())
})

describe('staysInside', () => {
  it.each([
    ['out', true],
    ['out/a', false],
    ['within/a', true],
    ['dangling/a', false],
    ['new/deep/a', true],
    ['tricky/a', false],
    ['../a', false],
  ])('%j: %s, whatever its last part is', (path, answer) => expect(staysInside(root, path)).toBe(answer))
})
