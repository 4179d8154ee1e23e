import { describe, expect, it } from 'vitest'
import { isExportName, readTar, type TarFile, writeTar } from './tar.ts'

const LIMITS = { files: 3, bytes: 2_000 }
const file = (name: string, text = '', mode?: number): TarFile => ({
  name,
  bytes: new TextEncoder().encode(text),
  mode,
})
const join = (files: TarFile[]) => Uint8Array.from(writeTar(files).flatMap((part) => [...part]))
const texts = (files: TarFile[]) => files.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])
/** A header with some bytes of it changed, and the sum that belongs to it. */
function forged(tar: Uint8Array, changes: Record<number, number>): Uint8Array {
  const copy = Uint8Array.from(tar)
  for (const [at, byte] of Object.entries(changes)) copy[Number(at)] = byte
  let sum = 8 * 0x20
  for (let index = 0; index < 512; index++) if (index < 148 || index >= 156) sum += copy[index]!
  copy.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, '0')}\0 `), 148)
  return copy
}

describe('an export', () => {
  it.each([
    [[]],
    [[file('record', '')]],
    [[file('record', 'x'.repeat(511)), file('history.jsonl', 'y'.repeat(512)), file('prompt.md', 'z'.repeat(513))]],
    [[file('terminal/000001.cast', 'a'), file('work.bundle', 'x'.repeat(2_000))]],
  ])('is read as it was written: %#', (files) => {
    const tar = join(files)
    expect(texts(readTar(tar, LIMITS))).toEqual(texts(files))
    expect(tar.length % 512).toBe(0)
  })

  it('is an archive that every tar can list', () => {
    const header = join([file('record', 'hello')]).subarray(0, 512)
    const text = (from: number, to: number) => new TextDecoder().decode(header.subarray(from, to))
    expect([text(0, 7), text(100, 108), text(124, 136), text(156, 157)]).toEqual([
      'record\0',
      '0000600\0',
      '00000000005\0',
      '0',
    ])
    expect([text(108, 124), text(136, 148), text(257, 265)]).toEqual([
      '0000000\0'.repeat(2),
      '00000000000\0',
      'ustar\x0000',
    ])
    const directory = join([file('bin/', '', 0o755)]).subarray(0, 512)
    expect(new TextDecoder().decode(directory.subarray(156, 157))).toBe('5')
    expect(new TextDecoder().decode(directory.subarray(100, 107))).toBe('0000755')
  })

  const one = join([file('record', 'hello')])
  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(0), /no end/],
    ['half a header', one.subarray(0, 300), /middle of a file/],
    ['half a file', one.subarray(0, 515), /middle of a file/],
    ['no end', one.subarray(0, 1_024), /no end/],
    ['half an end', one.subarray(0, 1_300), /no end/],
    ['something behind its end', Uint8Array.from([...one, 1]), /follows its end/],
    ['a header that was changed', Uint8Array.from(one).fill(0x78, 2, 3), /headers is damaged/],
    ['a link', forged(one, { 156: 0x32 }), /"record" is not a plain file/],
    ['a name that goes on elsewhere', forged(one, { 345: 0x61 }), /not a plain file/],
    ['a name of its own', forged(one, { 0: 0x78 }), /called "xecord", which no export has/],
    ['a name that is no text', forged(one, { 0: 0xff }), /which no export has/],
    ['no size', forged(one, { 124: 0x39 }), /record has no size/],
    ['the same file twice', join([file('record'), file('record')]), /two files called record/],
    [
      'too many files',
      join([file('record'), file('prompt.md'), file('history.jsonl'), file('work.bundle')]),
      /more than 3 files/,
    ],
    ['too large a file', join([file('record', 'x'.repeat(2_001))]), /record is larger than 2000 bytes/],
  ])('is refused with %s', (_what, tar, why) => expect(() => readTar(tar, LIMITS)).toThrow(why))

  it.each([
    ['manifest.json', true],
    ['transcript.json', true],
    ['terminal/123456789012.cast', true],
    ['terminal/12345.cast', false],
    ['terminal/../record', false],
    ['/record', false],
    ['../record', false],
    ['record/', false],
    ['.ssh/authorized_keys', false],
  ])('may hold %s: %j', (name, expected) => expect(isExportName(name)).toBe(expected))
})
