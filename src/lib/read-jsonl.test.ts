import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../core/text/json-fields.ts'
import { type JsonlCursor, type JsonlReading, readHead, readJsonl, readTail, readTailUntil } from './read-jsonl.ts'

let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aot-jsonl-'))
  path = join(directory, 'records.jsonl')
})
afterEach(() => rmSync(directory, { recursive: true }))

const line = (n: number, filler = '') => `${JSON.stringify({ n, filler })}\n`

async function read(cursor: JsonlCursor | null, options = {}) {
  const numbers: unknown[] = []
  const reading = await readJsonl(path, cursor, ({ n }) => numbers.push(n), options)
  return { ...reading!, numbers }
}

describe('reading from where the last reading stopped', () => {
  it('hands over only what is new', async () => {
    writeFileSync(path, line(1) + line(2))
    const first = await read(null)
    expect(first).toMatchObject({ numbers: [1, 2], continued: false, complete: true, damaged: 0 })
    expect((await read(first.cursor)).numbers).toEqual([])
    appendFileSync(path, line(3))
    expect(await read(first.cursor)).toMatchObject({ numbers: [3], continued: true })
  })

  it('leaves a line that is still being written for the next time', async () => {
    writeFileSync(path, `${line(1)}{"n":`)
    const first = await read(null)
    expect(first).toMatchObject({ numbers: [1], damaged: 0 })
    appendFileSync(path, '2}\n')
    expect((await read(first.cursor)).numbers).toEqual([2])
  })

  it.each([
    ['cut', () => writeFileSync(path, line(7))],
    ['replaced by another file', () => replace(line(7) + line(8) + line(9))],
    ['rewritten in place with other content', () => writeFileSync(path, line(7) + line(8) + line(9))],
  ])('starts again when the file was %s', async (_how, change) => {
    writeFileSync(path, line(1) + line(2))
    const { cursor } = await read(null)
    change()
    const again = await read(cursor)
    expect(again.continued).toBe(false)
    expect(again.numbers[0]).toBe(7)
  })

  it('skips damaged lines and counts them', async () => {
    writeFileSync(path, `${line(1)}{"n":\n\nnull\n[1]\n"text"\n${line(2)}`)
    expect(await read(null)).toMatchObject({ numbers: [1, 2], damaged: 4 })
  })

  it('skips a line that is too long, even over several readings', async () => {
    writeFileSync(path, line(1) + line(2, 'x'.repeat(5_000)) + line(3))
    expect(await read(null, { maxLineBytes: 1_000 })).toMatchObject({ numbers: [1, 3], damaged: 1 })
    writeFileSync(path, line(1) + '{"n":2,'.repeat(1_000))
    const first = await read(null, { maxLineBytes: 1_000 })
    expect(first).toMatchObject({ numbers: [1], complete: true })
    expect(first.cursor.insideLongLine).toBe(true)
    appendFileSync(path, `more\n${line(3)}`)
    expect(await read(first.cursor, { maxLineBytes: 1_000 })).toMatchObject({ numbers: [3], damaged: 1 })
  })

  it('reads a huge file in parts and says when it is complete', async () => {
    writeFileSync(path, Array.from({ length: 100 }, (_, n) => line(n, 'y'.repeat(50))).join(''))
    const seen: unknown[] = []
    let cursor: JsonlCursor | null = null
    let rounds = 0
    for (let complete = false; !complete && rounds < 100; rounds++) {
      const part = await read(cursor, { maxBytes: 1_000 })
      seen.push(...part.numbers)
      cursor = part.cursor
      complete = part.complete
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => n))
    expect(rounds).toBeGreaterThan(5)
  })

  it('does not get stuck at a line longer than one reading', async () => {
    writeFileSync(path, line(1, 'z'.repeat(3_000)) + line(2))
    let cursor: JsonlCursor | null = null
    const seen: unknown[] = []
    for (let round = 0; round < 10; round++) {
      const part = await read(cursor, { maxBytes: 1_000 })
      seen.push(...part.numbers)
      cursor = part.cursor
    }
    expect(seen).toEqual([2])
  })

  it('parses only the lines that are wanted', async () => {
    writeFileSync(path, `${line(1)}{"broken":\n${line(2)}`)
    expect(await read(null, { wants: (bytes: Buffer) => bytes.includes('"n":2') })).toMatchObject({
      numbers: [2],
      damaged: 0,
    })
  })

  it('is null for a missing file', async () => {
    expect(await readJsonl(path, null, () => undefined)).toBeNull()
    expect(await readJsonl(directory, null, () => undefined)).toBeNull()
    expect(await readTail(path, 100)).toBeNull()
    expect(await readHead(directory, 100)).toBeNull()
  })
})

describe('the ends of a file', () => {
  it('reads the whole lines of the last bytes', async () => {
    writeFileSync(path, line(1) + line(2) + line(3))
    const size = line(3).length
    expect((await readTail(path, size + 5))?.records).toEqual([{ n: 3, filler: '' }])
    expect((await readTail(path, 10_000))?.fromStart).toBe(true)
    expect((await readTail(path, 3))?.records).toEqual([])
  })

  it('takes a last line without newline when it is whole', async () => {
    writeFileSync(path, `${line(1)}{"n":2}`)
    expect((await readTail(path, 100))?.records).toHaveLength(2)
    writeFileSync(path, `${line(1)}{"n":2`)
    expect(await readTail(path, 100)).toMatchObject({ records: [{ n: 1 }], damaged: 0 })
  })

  it('reads the first lines', async () => {
    writeFileSync(path, line(1) + line(2) + line(3))
    expect((await readHead(path, line(1).length + 5))?.records).toEqual([{ n: 1, filler: '' }])
  })

  it('looks further back until it has enough', async () => {
    writeFileSync(path, line(1) + line(2, 'x'.repeat(200_000)) + line(3))
    const found = await readTailUntil(path, ({ records }) => records.some(({ n }) => n === 2), { bytes: 100 })
    expect(found?.records.map(({ n }) => n)).toContain(2)
    const bounded = await readTailUntil(path, () => false, { bytes: 100, maxBytes: 1_000 })
    expect(bounded?.records.map(({ n }) => n)).toEqual([3])
  })
})

describe('for any content and any growth', () => {
  const anyLine = fc.oneof(
    fc
      .record({ n: fc.integer(), text: fc.string({ unit: 'binary', maxLength: 40 }) })
      .map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')),
    fc.constant(''),
  )

  it('reading in pieces gives what one reading gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyLine, { maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.integer({ min: 40, max: 400 }),
        async (lines, cuts, maxBytes) => {
          const whole = Buffer.from(lines.map((text) => `${text}\n`).join(''))
          const borders = [...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b)
          rmSync(path, { force: true })
          const pieces: JsonObject[] = []
          let damaged = 0
          let cursor: JsonlCursor | null = null
          let written = 0
          for (const border of borders) {
            appendFileSync(path, whole.subarray(written, border))
            written = border
            for (let complete = false; !complete; ) {
              const part: JsonlReading = (await readJsonl(path, cursor, (record) => pieces.push(record), {
                maxBytes,
                maxLineBytes: 1_000,
              }))!
              expect(part.continued).toBe(cursor !== null)
              cursor = part.cursor
              complete = part.complete
              damaged += part.damaged
            }
          }
          const once: JsonObject[] = []
          const limit = Math.min(1_000, maxBytes - 1)
          const reading = (await readJsonl(path, null, (record) => once.push(record), { maxLineBytes: limit }))!
          expect(pieces).toEqual(once)
          expect(damaged).toBe(reading.damaged)
          expect(once.length + reading.damaged).toBeLessThanOrEqual(lines.length)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('a tail is the end of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine, { maxLength: 20 }), fc.integer({ min: 1, max: 600 }), async (lines, bytes) => {
        writeFileSync(path, lines.map((text) => `${text}\n`).join(''))
        const whole = (await readTail(path, 1_000_000))!.records
        const tail = (await readTail(path, bytes))!
        expect(whole.slice(whole.length - tail.records.length)).toEqual(tail.records)
        expect(tail.fromStart).toBe(bytes >= readFileSync(path).length)
      }),
      { numRuns: 60 },
    )
  })
})

function replace(content: string): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}
