// Writes the parts of a recording, one after the other, without waiting. After a failure everything that waits is dropped, and
// the part ends with its last whole line.
import { close, closeSync, ftruncate, rm, write } from 'node:fs'
import { createPart, dropOldest } from './recording-files.ts'

export interface PartWriter {
  /** What follows is in a new file that begins with this text. */
  begin(text: string): void
  /** A whole line. */
  add(line: string): void
  /** Characters that are not written yet. */
  waiting(): number
  /** Forgets what waits. */
  drop(): void
  /** The last attempt failed. */
  hasFailed(): boolean
  close(): Promise<void>
}

interface Options {
  directory: string
  totalBytes: number
  onWritten(): void
  onFailure(error: Error): void
}

interface Part {
  fd: number
  path: string
  /** Up to here it ends with a whole line. */
  soundBytes: number
}

interface Writing {
  options: Options
  queue: Array<{ begins: boolean; text: string }>
  waiting: number
  part: Part | null
  isBusy: boolean
  hasFailed: boolean
  whenIdle: Array<() => void>
}

/** A disk that hangs does not keep the process from ending. */
const CLOSE_MS = 2_000

export function createPartWriter(options: Options): PartWriter {
  const writing: Writing = {
    options,
    queue: [],
    waiting: 0,
    part: null,
    isBusy: false,
    hasFailed: false,
    whenIdle: [],
  }
  const enqueue = (begins: boolean, text: string) => {
    writing.queue.push({ begins, text })
    writing.waiting += text.length
    pump(writing)
  }
  return {
    begin: (text) => enqueue(true, text),
    add: (line) => enqueue(false, line),
    waiting: () => writing.waiting,
    drop: () => drop(writing),
    hasFailed: () => writing.hasFailed,
    async close() {
      await untilIdle(writing)
      if (writing.part && !writing.isBusy) closeSync(writing.part.fd)
      writing.part = null
    },
  }
}

function untilIdle(writing: Writing): Promise<void> {
  if (!writing.isBusy) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CLOSE_MS)
    writing.whenIdle.push(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function pump(writing: Writing): void {
  if (writing.isBusy) return
  const [first] = writing.queue
  if (!first) {
    for (const resolve of writing.whenIdle.splice(0)) resolve()
    return
  }
  try {
    if (first.begins) openNext(writing)
    const { part } = writing
    // Lines of a part that failed: the next part begins with a picture.
    if (!part) {
      drop(writing)
      return
    }
    writing.isBusy = true
    writeOut(writing, part, Buffer.from(takeLines(writing)))
  } catch (error) {
    fail(writing, error as Error)
  }
}

function openNext(writing: Writing): void {
  const { directory, totalBytes } = writing.options
  if (writing.part) closeSync(writing.part.fd)
  writing.part = null
  writing.part = { ...createPart(directory), soundBytes: 0 }
  writing.hasFailed = false
  dropOldest(directory, totalBytes)
}

/** Everything up to the next part. */
function takeLines(writing: Writing): string {
  const next = writing.queue.findIndex(({ begins }, index) => index > 0 && begins)
  const taken = writing.queue.splice(0, next === -1 ? writing.queue.length : next)
  const text = taken.map((one) => one.text).join('')
  writing.waiting -= text.length
  return text
}

function writeOut(writing: Writing, part: Part, data: Buffer, from = 0): void {
  write(part.fd, data, from, data.length - from, null, (error, count) => {
    if (error) return fail(writing, error)
    if (from + count < data.length) return writeOut(writing, part, data, from + count)
    part.soundBytes += data.length
    writing.isBusy = false
    writing.options.onWritten()
    pump(writing)
  })
}

function fail(writing: Writing, error: Error): void {
  const { part } = writing
  writing.part = null
  writing.isBusy = false
  writing.hasFailed = true
  drop(writing)
  if (part) leaveSound(part)
  writing.options.onFailure(error)
}

/** A reader ignores half a line, so none of this can make it worse. Each attempt on a full disk begins a file. */
function leaveSound({ fd, path, soundBytes }: Part): void {
  ftruncate(fd, soundBytes, () => close(fd, () => undefined))
  if (soundBytes === 0) rm(path, { force: true }, () => undefined)
}

function drop(writing: Writing): void {
  writing.queue = []
  writing.waiting = 0
  if (!writing.isBusy) for (const resolve of writing.whenIdle.splice(0)) resolve()
}
