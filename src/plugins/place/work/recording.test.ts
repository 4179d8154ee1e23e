import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatEvent, formatHeader } from '../../../core/recording/cast.ts'
import { nextPiece, type RecordedPiece } from '../../../store/recording/next-piece.ts'
import { endOf, readRecording } from '../../../store/recording/read-recording.ts'
import { listParts, recordingDirectory } from '../../../store/recording/recording-files.ts'
import type { LineState } from '../home/line-files.ts'
import type { Far } from '../reach/far.ts'
import type { Keep } from './bring-home.ts'
import { bringRecordingHome } from './recording.ts'

let root: string
let [there, stateDir] = ['', '']
let state: Partial<LineState>
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ao-place-recording-'))
  there = join(root, 'there')
  stateDir = join(root, 'home')
  mkdirSync(recordingDirectory(there), { recursive: true })
  mkdirSync(stateDir)
  state = {}
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const keep: Keep = {
  state: () => state as LineState,
  save: (change) => void Object.assign(state, change),
}

/** A line over which the place says this. */
function lineTo(answer: (has: { part: number; bytes: number }) => RecordedPiece | null): Far {
  const stream = (_name: string, { query }: { query: { part: number; bytes: number } }) => {
    const piece = answer(query)
    const made = new PassThrough()
    setImmediate(() => {
      made.emit('response', { ':status': 200, ...(piece && { 'x-part': String(piece.part) }) })
      made.end(piece?.data)
    })
    return made
  }
  return { stream } as unknown as Far
}

const line = () => lineTo((has) => nextPiece(there, has))
const bring = (far = line(), spawnId = 'one') => bringRecordingHome(far, { stateDir, spawnId }, keep)
const file = (part: number) => join(recordingDirectory(there), `00000${part}.cast`)
const header = (launch = 'one') => formatHeader({ cols: 80, rows: 24, startedAt: 1_000, launch })
const event = (data: string) => formatEvent({ at: 2_000, kind: 'o', data }, 1_000)
const drawnAtHome = () =>
  readRecording(recordingDirectory(stateDir)).parts.map(({ events }) => events.map(({ data }) => data).join(' '))

describe('the recorded terminal of a session in a place', () => {
  it('comes home piece by piece, each byte once, also after half a piece', async () => {
    writeFileSync(file(1), header() + event('one'))
    await bring()
    appendFileSync(file(1), event('two'))
    writeFileSync(file(2), header() + event('three'))
    await bring()
    // The line was killed while it wrote.
    appendFileSync(file(2), event('four'))
    const half = listParts(recordingDirectory(stateDir))[1]!
    appendFileSync(half.path, event('four').slice(0, 9))
    appendFileSync(file(2), formatEvent({ at: 3_000, kind: 'm', data: 'ended: exit code 0' }, 1_000))
    await bring()
    expect(drawnAtHome()).toEqual(['one two', 'three four ended: exit code 0'])
    expect(endOf(readRecording(recordingDirectory(stateDir)))).toBe('exit code 0')
  })

  it('follows what an earlier launch left, in this place or another', async () => {
    writeFileSync(file(1), header() + event('one'))
    await bring()
    state = {}
    writeFileSync(file(1), header('two') + event('again'))
    await bring(line(), 'two')
    expect(drawnAtHome()).toEqual(['one', 'again'])
  })

  it('of a place that dropped its oldest parts continues with the next one', async () => {
    writeFileSync(file(1), header() + event('one'))
    await bring()
    rmSync(file(1))
    writeFileSync(file(3), header() + event('three'))
    await bring()
    expect(drawnAtHome()).toEqual(['one', 'three'])
  })

  it.each<[string, RecordedPiece]>([
    ['an earlier part', { part: -1, data: Buffer.from(header()) }],
    ['another launch', { part: 1, data: Buffer.from(header('other')) }],
    ['no recording', { part: 1, data: Buffer.from('x'.repeat(10_000)) }],
    ['a number beyond all', { part: 1e9, data: Buffer.from(header()) }],
  ])('is not believed: %s', async (_what, piece) => {
    await bring(lineTo(() => piece))
    expect(listParts(recordingDirectory(stateDir))).toEqual([])
  })

  it('never fills the disk at home, however much a place sends', async () => {
    let part = 0
    const full = header() + event('x'.repeat(1024 * 1024))
    await bring(lineTo(() => ({ part: ++part, data: Buffer.from(full) })))
    const kept = listParts(recordingDirectory(stateDir))
    expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(18 * 1024 * 1024)
    expect(kept.at(-1)!.number).toBe(64)
  })
})
