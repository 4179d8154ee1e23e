import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRecord } from '../../contract/record.ts'
import { readTar, type TarFile, writeTar } from '../text/tar.ts'
import { parseManifest, travellingRecord } from './export-manifest.ts'

const LIMITS = { files: 10, bytes: 4_096 }
const bytesOf = (text: string) => new TextEncoder().encode(text)
const tarOf = (files: TarFile[]) => Buffer.concat(writeTar(files))
const NAMES = ['manifest.json', 'record', 'history.jsonl', 'prompt.md', 'work.bundle', 'terminal/000001.cast']

describe('the archive of an exported session', () => {
  it('is read as it was written', () => {
    const contents = fc.array(fc.uint8Array({ maxLength: 1_500 }), { maxLength: NAMES.length })
    fc.assert(
      fc.property(contents, (all) => {
        const files = all.map((bytes, index) => ({ name: NAMES[index]!, bytes }))
        expect(readTar(tarOf(files), LIMITS).map(({ name, bytes }) => [name, [...bytes]])).toEqual(
          files.map(({ name, bytes }) => [name, [...bytes]]),
        )
      }),
      { numRuns: 50 },
    )
  })

  it('with any byte changed is refused, or is another one of the same few names', () => {
    const tar = tarOf([
      { name: 'manifest.json', bytes: bytesOf('{}') },
      { name: 'record', bytes: bytesOf('status=killed\n') },
    ])
    fc.assert(
      fc.property(fc.nat(tar.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(tar)
        changed[at] = (changed[at]! + by) % 256
        try {
          for (const { name } of readTar(changed, LIMITS)) expect(NAMES).toContain(name)
        } catch (error) {
          expect((error as Error).message).not.toBe('')
        }
      }),
    )
  })

  it('of arbitrary bytes throws nothing but an explanation', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_048 }), (bytes) => {
        try {
          readTar(bytes, LIMITS)
        } catch (error) {
          expect((error as Error).constructor).toBe(Error)
        }
      }),
    )
  })

  const plain = { name: 'record', bytes: bytesOf('x') }
  const withHeader = (change: (header: Buffer) => void) => {
    const tar = tarOf([plain])
    change(tar)
    const sum = tar.subarray(0, 512).reduce((all, byte, index) => all + (index >= 148 && index < 156 ? 32 : byte), 0)
    tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return tar
  }
  it.each<[string, Uint8Array, RegExp]>([
    ['a path that leads upwards', tarOf([{ ...plain, name: '../../.bashrc' }]), /no export has/],
    ['an absolute path', tarOf([{ ...plain, name: '/etc/passwd' }]), /no export has/],
    ['a path below a file that is allowed', tarOf([{ ...plain, name: 'terminal/../../x.cast' }]), /no export has/],
    ['a symbolic link', withHeader((header) => header.write('2', 156)), /not a plain file/],
    ['a hard link', withHeader((header) => header.write('1', 156)), /not a plain file/],
    ['a device', withHeader((header) => header.write('3', 156)), /not a plain file/],
    ['a directory', withHeader((header) => header.write('5', 156)), /not a plain file/],
    ['an extension of the format', withHeader((header) => header.write('x', 156)), /not a plain file/],
    ['a prefix of its path', withHeader((header) => header.write('../..', 345)), /not a plain file/],
    ['a size beyond the limit', withHeader((header) => header.write('77777777777', 124)), /larger than/],
    ['a size that is not there', withHeader((header) => header.write('00000005000', 124)), /middle of a file/],
    ['a negative size', withHeader((header) => header.write('-0000000001', 124)), /no size/],
    ['the same file twice', tarOf([plain, plain]), /two files/],
    ['no end', tarOf([plain]).subarray(0, 1_024), /end/],
    ['something behind its end', Buffer.concat([tarOf([plain]), bytesOf('x')]), /follows its end/],
  ])('with %s is refused', (_what, tar, why) => {
    expect(() => readTar(tar, LIMITS)).toThrow(why)
  })
})

describe('the manifest of an exported session', () => {
  const manifest = {
    format: 'ao-session',
    version: 1,
    exportedAt: '2026-01-01T00:00:00Z',
    aoVersion: '1',
    session: { id: 'app-1', project: 'app' },
    branch: { name: 'feat/x', commit: 'a'.repeat(40) },
    rescues: [{ number: 1, commit: 'b'.repeat(40), settled: false }],
    files: { record: { bytes: 1, sha256: 'c'.repeat(64) } },
  }

  it('is believed only when it is whole', () => {
    expect(parseManifest(JSON.stringify(manifest))).toEqual(manifest)
    const wrong: object[] = [
      { version: 2 },
      { format: 'other' },
      { session: { id: 5 } },
      { branch: { name: 'x', commit: '--upload-pack=evil' } },
      { rescues: [{ number: -1, commit: 'b'.repeat(40), settled: false }] },
      { rescues: [{ number: 1, commit: 'HEAD', settled: false }] },
      { files: { record: { bytes: -1, sha256: 'c'.repeat(64) } } },
      { files: [] },
    ]
    for (const change of wrong) expect(() => parseManifest(JSON.stringify({ ...manifest, ...change }))).toThrow()
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => parseManifest(text)).toThrow()
      }),
      { numRuns: 50 },
    )
  })

  it('leaves behind what is about another machine', () => {
    const pairs = {
      agent: 'demo',
      userPrompt: 'do it',
      worktree: '/home/other/.ssh',
      runtimeHandle: '{"id":"x","runtimeName":"tmux"}',
      spawnId: 'other',
      operation: 'spawn',
      place: 'cage',
      role: 'orchestrator',
      firstPort: '1',
      pr: 'http://localhost:3000/pulls/1',
    }
    const kept = JSON.parse(JSON.stringify(travellingRecord(readRecord(pairs))))
    const ours = { endedAs: 'killed', launched: 'yes', role: 'worker' }
    expect(kept).toEqual({ agent: 'demo', userPrompt: 'do it', ...ours })
  })
})
