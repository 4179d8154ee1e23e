// The log of a loop that runs for months: its end is kept in a second file, and it starts anew.
import { statSync, truncateSync } from 'node:fs'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readTail } from '../../lib/plain-file.ts'

const LONGEST = 10 * 1024 * 1024
const KEPT = 1024 * 1024
const CHECK_MS = 60_000

export function keepLogShort(file: string): { close(): void } {
  const timer = setInterval(() => shortenLog(file), CHECK_MS)
  return { close: () => clearInterval(timer) }
}

/** The process writes in append mode, so its next line is the first of the emptied file. */
export function shortenLog(file: string, longest = LONGEST, kept = KEPT): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size <= longest) return false
  writeFileAtomic(`${file}.1`, readTail(file, kept), { durable: false })
  truncateSync(file)
  return true
}
