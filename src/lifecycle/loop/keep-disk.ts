// A loop that runs for months does not fill the disk. Once a day, what is left of archived sessions is brought within its
// limits, and what went is said; the end of a long log is kept in a second file, and the log starts anew.
import { statSync, truncateSync } from 'node:fs'
import { errorText } from '../../contract/errors.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readTail } from '../../lib/plain-file.ts'
import type { ManagerContext } from '../../manager/context.ts'

/** A loop that was just started has something better to do. */
const FIRST_MS = 10 * 60_000
const EVERY_MS = 24 * 60 * 60_000

export function keepDisk(context: ManagerContext, say: (line: string) => void): { close(): void } {
  const freeDisk = async () => {
    try {
      const { keepLimits } = await import('../../manager/remove/keep-limits.ts')
      const { dropped, problems } = await keepLimits(context)
      for (const { session, what, detail } of dropped) say(`dropped the ${what} of ${session}: ${detail}`)
      for (const { session, what, why } of problems)
        context.log.warn(`the ${what} of ${session} is beyond its limit and was not dropped: ${why}`)
    } catch (error) {
      context.log.warn(`the disk was not brought within its limits: ${errorText(error)}`)
    }
    if (!isClosed) timer = setTimeout(freeDisk, EVERY_MS)
  }
  let isClosed = false
  let timer = setTimeout(freeDisk, FIRST_MS)
  return {
    close() {
      // Also one that is under way: a loop with another configuration has its own.
      isClosed = true
      clearTimeout(timer)
    },
  }
}

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
  writeFileAtomic(`${file}.1`, readTail(file, kept), { durable: false, isForeign: true })
  truncateSync(file)
  return true
}
