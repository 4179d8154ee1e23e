import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { expandQuery, pin, readSaved, savedFile, saveQuery, unpin } from './saved.ts'

let temp: TempHome
let paths: { dataDir: string; hash: string }
beforeEach(() => {
  temp = createTempHome()
  paths = { dataDir: temp.home, hash: '0123456789ab' }
})
afterEach(async () => void (await temp.cleanup()))

describe('pins and saved searches', () => {
  it('keep every pin of writers at once, in a file of this user alone', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `app-${n}`)
    await Promise.all([...ids.map((id) => pin(paths, id, null)), saveQuery(paths, 'tokens', 'token expires')])
    const { pins, queries } = readSaved(paths)
    expect(pins.map(({ session }) => session).sort()).toEqual(ids.sort())
    expect(queries).toEqual({ tokens: 'token expires' })
    expect(statSync(savedFile(paths)).mode & 0o777).toBe(0o600)
  })

  it('move a session that is pinned again, and forget it', async () => {
    await pin(paths, 'app-1', null)
    await pin(paths, 'app-2', null)
    await pin(paths, 'app-1', 'release')
    expect(readSaved(paths).pins).toEqual([
      { session: 'app-2', folder: null },
      { session: 'app-1', folder: 'release' },
    ])
    await unpin(paths, 'app-2')
    await unpin(paths, 'app-77')
    expect(readSaved(paths).pins).toEqual([{ session: 'app-1', folder: 'release' }])
  })

  it('name a damaged file, ignore it when reading and never write over it', async () => {
    const pinned = (one: unknown) => JSON.stringify({ pins: [one] })
    for (const text of [
      '{',
      '[]',
      'null',
      '7',
      '{"pins":7}',
      pinned({ session: '../x', folder: null }),
      pinned({ session: 'app-1', folder: 'a/b' }),
      pinned(null),
      '{"queries":{"a b":"x"}}',
      '{"queries":{"x":7}}',
      `{"queries":{"x":"${'y'.repeat(2_000)}"}}`,
      ' '.repeat(2 * 1024 * 1024),
    ]) {
      writeFileSync(savedFile(paths), text)
      expect(readSaved(paths)).toMatchObject({ pins: [], queries: {}, problem: expect.stringContaining('.saved.json') })
      await expect(pin(paths, 'app-1', null)).rejects.toMatchObject({ code: 'METADATA_DAMAGED' })
      expect(() => expandQuery(paths, '@x')).toThrow('cannot be read')
      expect(readFileSync(savedFile(paths), 'utf8')).toBe(text)
    }
  })

  it('keep what a newer version has in the same file', async () => {
    writeFileSync(savedFile(paths), '{"colours":{"app-1":"red"},"pins":[]}')
    await pin(paths, 'app-1', null)
    expect(JSON.parse(readFileSync(savedFile(paths), 'utf8'))).toMatchObject({ colours: { 'app-1': 'red' } })
  })

  it('refuse names that are not names, and more than a person keeps', async () => {
    for (const name of ['', 'a b', '../x', '__proto__', '-x', '\u001b[31m', 'x'.repeat(100)]) {
      expect(() => saveQuery(paths, name, 'x')).toThrow('letters')
      expect(() => pin(paths, 'app-1', name)).toThrow('letters')
    }
    expect(() => saveQuery(paths, 'x', ' ')).toThrow('1 to')
    const full = { queries: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`q${n}`, 'x'])) }
    writeFileSync(savedFile(paths), JSON.stringify(full))
    await expect(saveQuery(paths, 'one-more', 'x')).rejects.toThrow('200 saved searches')
  })

  it('expand only a name at the beginning that is saved; any other is text, and that is said', async () => {
    await saveQuery(paths, 'tokens', 'token "expires soon"')
    expect(expandQuery(paths, '@tokens after:1d')).toEqual({ text: 'token "expires soon" after:1d', note: null })
    expect(expandQuery(paths, 'mail@tokens')).toEqual({ text: 'mail@tokens', note: null })
    for (const name of ['constructor', 'toString', 'deprecated']) {
      const note = expect.stringContaining(`No search is saved as ${name}`)
      expect(expandQuery(paths, `@${name} in:diff`)).toEqual({ text: `@${name} in:diff`, note })
    }
  })

  it('are not written through a link that somebody else put there', async () => {
    writeFileSync(`${temp.home}/other`, '{"pins":[]}')
    symlinkSync('other', savedFile(paths))
    await pin(paths, 'app-1', null)
    expect(readFileSync(`${temp.home}/other`, 'utf8')).toBe('{"pins":[]}')
  })
})
