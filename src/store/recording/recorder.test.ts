import { spawn } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endOf, readRecording, toCast } from './read-recording.ts'
import { createRecorder, type RecorderOptions } from './recorder.ts'
import { listParts } from './recording-files.ts'
import { renderText } from './render-text.ts'

let root: string
let directory: string
let now: number
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ao-recorder-'))
  directory = join(root, 'terminal')
  now = 1_700_000_000_000
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function record(options: Partial<RecorderOptions> = {}) {
  const size = { cols: 80, rows: 10 }
  return createRecorder({
    directory,
    launch: 'one',
    size,
    secrets: () => [],
    redraw: () => null,
    now: () => now++,
    ...options,
  })
}

const text = async (lines = 1000) => (await renderText(readRecording(directory), lines)).join('\n')

const stored = () => readFileSync(join(directory, '000001.cast'), 'utf8')

describe('a recording', () => {
  it('has everything that was drawn, how it ended, and is readable by its owner alone', async () => {
    const recorder = record()
    recorder.output('hello \u001b[31mwor')
    recorder.output('ld\u001b[0m\r\n')
    recorder.resize({ cols: 100, rows: 20 })
    recorder.output(`${'x'.repeat(90)}\r\n`)
    await recorder.end('exit code 3')
    expect(await text()).toBe(`hello world\n${'x'.repeat(90)}\n[ended: exit code 3]`)
    expect(endOf(readRecording(directory))).toBe('exit code 3')
    expect(statSync(join(directory, '000001.cast')).mode & 0o777).toBe(0o600)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    const [header, ...events] = toCast(readRecording(directory))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(header).toMatchObject({ version: 2, width: 80, height: 10 })
    expect(events.map(([, kind]) => kind)).toEqual(['o', 'r', 'o', 'm'])
  })

  it('drops its oldest parts, and what is left begins with the screen as it was', async () => {
    let drawn = 0
    const limits = { partBytes: 2_000, totalBytes: 8_000 }
    const recorder = record({ limits, redraw: () => `\u001b[H\u001b[2Jscreen after ${drawn}\r\n` })
    for (; drawn < 2_000; ) {
      drawn += 1
      recorder.output(`line ${drawn}\r\n`)
      if (drawn % 20 === 0) recorder.resize({ cols: 80, rows: 10 })
    }
    await recorder.end('exit code 0')
    const parts = listParts(directory)
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(8_000 + 3_000)
    expect(parts[0]!.number).toBeGreaterThan(1)
    const first = readFileSync(parts[0]!.path, 'utf8').split('\n')
    expect(first[0]).toContain('"version":2')
    expect(first[1]).toContain('screen after')
    const { isCut } = readRecording(directory)
    expect(isCut).toBe(true)
    expect(await text()).toMatch(/line 1999\nline 2000\n\[ended: exit code 0\]$/)
  })

  it('contains no secret, also when it was drawn in pieces', async () => {
    const recorder = record({ secrets: () => ['correct-horse-battery'] })
    for (const piece of ['pass: correct-', 'horse-bat', 'tery\r\n', 'ghp_01234', '56789abcdef\r\n'])
      recorder.output(piece)
    await recorder.end('exit code 0')
    expect(stored()).not.toMatch(/correct-horse|ghp_0/)
    expect(stored().match(/\[redacted\]/g)).toHaveLength(2)
  })

  it('of a recorder that was killed is read up to its last whole line; the next start of the agent continues after it', async () => {
    const killed = record()
    killed.output('first start\r\n')
    killed.resize({ cols: 80, rows: 10 })
    await until(() => listParts(directory)[0] && stored().includes('first start'))
    appendFileSync(join(directory, '000001.cast'), '[1.5, "o", "half a li')
    const next = record({ launch: 'two' })
    next.output('second start\r\n')
    await next.end('SIGKILL')
    expect(await text()).toBe('first start\n[started again]\nsecond start\n[ended: SIGKILL]')
    expect(endOf(readRecording(directory))).toBe('SIGKILL')
  })

  it('that cannot be written is a gap that says why, and never an error for the caller', async () => {
    // As on a disk that is full: nothing can be created.
    writeFileSync(directory, '')
    const recorder = record({ limits: { retryMs: 1_000 }, redraw: () => 'the screen later\r\n' })
    recorder.output('lost\r\n')
    recorder.resize({ cols: 80, rows: 10 })
    recorder.output('lost too\r\n')
    recorder.resize({ cols: 80, rows: 10 })
    expect(statSync(directory).size).toBe(0)
    rmSync(directory)
    now += 5_000
    recorder.output('the screen later\r\n')
    await recorder.end('exit code 0')
    const shown = await text()
    expect(shown).toMatch(/^\[not recorded for 5 s: .*\]/)
    expect(shown).not.toContain('lost')
    expect(shown).toMatch(/\]\nthe screen later\n\[ended: exit code 0\]$/)
  })

  it('leaves nothing behind on a disk that takes files and no bytes, however often it is tried', async () => {
    mkdirSync(root, { recursive: true })
    const child = spawn(
      '/bin/sh',
      ['-c', `trap '' XFSZ; ulimit -f 0; exec "$@"`, 'sh', process.execPath, '-e', TRIES],
      {
        env: { ...process.env, DIRECTORY: directory, RECORDER: new URL('./recorder.ts', import.meta.url).href },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let message = ''
    for await (const piece of child.stdout) message += piece
    const { attempts, left } = JSON.parse(message)
    expect(attempts).toBeGreaterThan(2)
    expect(left).toEqual([])
  })

  it('leaves out a flood, names it, and continues with the screen after it', async () => {
    const limits = { burstCharacters: 1_000, charactersPerSecond: 1_000 }
    const recorder = record({ limits, redraw: () => '\u001b[H\u001b[2Jthe last of the flood\r\n' })
    recorder.output('before\r\n')
    for (let line = 0; line < 500; line++) recorder.output(`flood ${line}\r\n`)
    recorder.resize({ cols: 90, rows: 12 })
    recorder.output('still too much\r\n')
    now += 3_000
    await recorder.end('exit code 0')
    const shown = await text()
    expect(shown).toMatch(/^before\nflood 0\n[\s\S]*\[not recorded for \d s: too much output at once\]/)
    expect(shown).toMatch(/the last of the flood\n\[ended: exit code 0\]$/)
    expect(shown).not.toMatch(/flood 499|still/)
    expect(readRecording(directory).parts.at(-1)!.header).toMatchObject({ cols: 90, rows: 12 })
  })

  it('is empty when there is none, and whatever else is in its directory is ignored', async () => {
    expect(readRecording(directory)).toEqual({ parts: [], isCut: false })
    mkdirSync(join(directory, '000002.cast'), { recursive: true })
    writeFileSync(join(directory, '000001.cast'), '{"version":3}\n[0,"o","x"]\n')
    writeFileSync(join(directory, 'notes.txt'), 'x')
    expect(readRecording(directory).parts).toEqual([])
    expect(readdirSync(directory)).toHaveLength(3)
  })

  it('is text without any sequence of the program, full-screen programs included', async () => {
    const recorder = record()
    recorder.output('before\r\n\u001b[?1049h\u001b[2J\u001b[H\u001b]52;c;ZXZpbA==\u0007menu\u001b[?1000h')
    await recorder.end('SIGTERM')
    const shown = await text()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    expect(shown).toBe('before\n[ended: SIGTERM]')
  })
})

/** The limit of the process stands for a full disk: files can be created, and every write fails. */
const TRIES = `
const { readdirSync } = await import('node:fs')
const { createRecorder } = await import(process.env.RECORDER)
const directory = process.env.DIRECTORY
let now = 0
let attempts = 0
const redraw = () => {
  attempts += 1
  return 'the screen'
}
const size = { cols: 80, rows: 10 }
const limits = { retryMs: 1_000 }
const recorder = createRecorder({ directory, launch: 'one', size, secrets: () => [], redraw, now: () => now, limits })
for (let round = 0; round < 6; round++) {
  recorder.resize(size)
  recorder.output('x')
  recorder.resize(size)
  await new Promise((resolve) => setTimeout(resolve, 20))
  now += 5_000
}
await recorder.end('over')
for (let waited = 0; readdirSync(directory).length > 0 && waited < 100; waited++) await new Promise((resolve) => setTimeout(resolve, 20))
process.stdout.write(JSON.stringify({ attempts, left: readdirSync(directory) }))
`

async function until(condition: () => unknown): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 5_000) throw new Error('it did not come')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
