// The log of a loop that runs for months: its end is kept in a second file, and it starts anew.
import { closeSync, openSync, readSync, statSync, truncateSync, writeFileSync } from 'node:fs'

const LONGEST = 10 * 1024 * 1024
const KEPT = 1024 * 1024
const LOOK_MS = 60_000

export function keepLogShort(file: string): { close(): void } {
  const timer = setInterval(() => shorten(file), LOOK_MS)
  return { close: () => clearInterval(timer) }
}

/** The process writes in append mode, so that its next line is the first of the emptied file. */
export function shorten(file: string, longest = LONGEST, kept = KEPT): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= longest) return false
  const end = Buffer.alloc(Math.min(kept, size))
  const fd = openSync(file, 'r')
  try {
    readSync(fd, end, 0, end.length, size - end.length)
  } finally {
    closeSync(fd)
  }
  writeFileSync(`${file}.1`, end, { mode: 0o600 })
  truncateSync(file)
  return true
}
