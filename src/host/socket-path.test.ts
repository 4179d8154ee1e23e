import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chooseSocketPath } from './socket-path.ts'

let base: string

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'aot-sock-')))
})

afterEach(() => {
  rmSync(base, { recursive: true, force: true })
})

describe('chooseSocketPath', () => {
  it('is short, in the home, and only for this user', () => {
    const path = chooseSocketPath({ home: base, env: {}, key: `a ${'very '.repeat(100)}long name` })
    expect(dirname(path)).toBe(join(base, '.ao', 'run'))
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    expect(Buffer.byteLength(path)).toBeLessThan(104)
  })

  it('differs by key and is the same for the same key', () => {
    const choose = (key: string) => chooseSocketPath({ home: base, env: {}, key })
    expect(choose('one')).toBe(choose('one'))
    expect(choose('one')).not.toBe(choose('two'))
  })

  it('leaves a home that is too long for a socket', () => {
    const home = join(base, 'x'.repeat(100))
    const runtimeDir = join(base, 'run')
    mkdirSync(runtimeDir)
    expect(dirname(chooseSocketPath({ home, env: { XDG_RUNTIME_DIR: runtimeDir }, key: 'k' }))).toBe(
      join(runtimeDir, 'ao'),
    )
    const path = chooseSocketPath({ home, env: { XDG_RUNTIME_DIR: home }, key: 'k' })
    expect(dirname(path)).toBe(join(tmpdir(), `ao-${process.getuid!()}`))
    rmSync(dirname(path), { recursive: true, force: true })
  })

  it('closes a directory that others could enter, and refuses one that is not a directory', () => {
    mkdirSync(join(base, '.ao', 'run'), { recursive: true, mode: 0o777 })
    const path = chooseSocketPath({ home: base, env: {}, key: 'k' })
    expect(statSync(dirname(path)).mode & 0o077).toBe(0)
    const home = join(base, 'h')
    mkdirSync(join(home, '.ao'), { recursive: true })
    symlinkSync(base, join(home, '.ao', 'run'))
    expect(() => chooseSocketPath({ home, env: {}, key: 'k' })).toThrow(/not a directory of this user/)
  })
})
