import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { createFileExclusive, writeFileAtomic } from './atomic-write.ts'

let temp: TempHome
let target: string

beforeEach(() => {
  temp = createTempHome()
  target = join(temp.home, 'data', 'file')
  mkdirSync(join(temp.home, 'data'))
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function names(): string[] {
  return readdirSync(join(temp.home, 'data'))
}

describe('writeFileAtomic', () => {
  it('replaces the content, for its owner alone, and leaves nothing else', () => {
    writeFileAtomic(target, 'one')
    writeFileAtomic(target, Buffer.from('two'), { durable: false })
    expect(readFileSync(target, 'utf8')).toBe('two')
    expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(names()).toEqual(['file'])
  })

  it('replaces a symbolic link instead of writing through it', () => {
    const victim = join(temp.home, 'victim')
    writeFileSync(victim, 'mine')
    symlinkSync(victim, target)
    writeFileAtomic(target, 'new')
    expect(readFileSync(victim, 'utf8')).toBe('mine')
    expect(lstatSync(target).isFile()).toBe(true)
  })

  it('M5 keeps the old content and leaves no temporary file when a write fails', () => {
    writeFileAtomic(target, 'old')
    const module = JSON.stringify(new URL('./atomic-write.ts', import.meta.url).href)
    const script = `import { writeFileAtomic } from ${module}
      try { writeFileAtomic(process.argv[1], 'x'.repeat(1_000_000)); console.log('written') }
      catch (error) { console.log(error.code) }`
    // No file may grow beyond 8 KiB: the write fails half-way, as on a full disk.
    const limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"'
    const run = spawnSync('bash', ['-c', limited, process.execPath, script, target], {
      encoding: 'utf8',
      env: temp.env,
    })
    expect(run.stdout.trim()).toBe('EFBIG')
    expect(readFileSync(target, 'utf8')).toBe('old')
    expect(names()).toEqual(['file'])
  })

  it('writes to the given scratch file first', () => {
    const scratch = join(temp.home, 'scratch')
    writeFileAtomic(target, 'one', { temporary: scratch })
    expect(readFileSync(target, 'utf8')).toBe('one')
    expect(existsSync(scratch)).toBe(false)
  })
})

describe('createFileExclusive', () => {
  it('creates a file once', () => {
    expect(createFileExclusive(target, 'first')).toBe(true)
    expect(createFileExclusive(target, 'second')).toBe(false)
    expect(readFileSync(target, 'utf8')).toBe('first')
    expect(names()).toEqual(['file'])
  })

  it('says why when it cannot', () => {
    expect(() => createFileExclusive(join(temp.home, 'no', 'file'), 'x')).toThrow(/ENOENT/)
  })
})
