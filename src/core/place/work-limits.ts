// How much uncommitted work comes home from a place. Commits always do; home's disk is where all sessions are.
import { plural } from '../text/format-age.ts'
import { visibleLine } from '../text/visible-text.ts'

const MB = 1024 * 1024
const DEFAULT_MAX_UNTRACKED_MB = 50
/** A file that is rewritten again and again leaves every state of it at home, until git forgets them. */
const STATES_KEPT = 4
const LONGEST_PATH = 200

export function maxUntrackedBytes(megabytes: number | undefined): number {
  return (megabytes ?? DEFAULT_MAX_UNTRACKED_MB) * MB
}

export interface UntrackedFile {
  path: string
  bytes: number
}

/** What stays in the place. */
export interface WorkLeft {
  files: number
  bytes: number
  largest: string
  /** Among it is content that git-lfs keeps there: home has pointers to it. */
  lfs?: boolean | undefined
}

/** The smallest files come home, as many as fit: sources are small, and a build's output is not. */
export function leaveLargest<T extends UntrackedFile>(files: readonly T[], max: number): T[] {
  let total = 0
  return files
    .toSorted((a, b) => a.bytes - b.bytes || (a.path < b.path ? -1 : 1))
    .filter(({ bytes }) => {
      total += bytes
      return total > max
    })
}

export function describeFiles(files: readonly UntrackedFile[]): WorkLeft | null {
  const largest = files.at(-1)
  if (!largest) return null
  const bytes = files.reduce((sum, one) => sum + one.bytes, 0)
  return { files: files.length, bytes, largest: largest.path.slice(0, LONGEST_PATH) }
}

/** `sent`: bytes of uncommitted work that this launch has sent home. */
export function sendsCommitsAlone(sent: number, max: number): boolean {
  return sent >= max * STATES_KEPT
}

/** For people. null: everything comes home. */
export function describeLeft(
  { left, sent, max }: { left: WorkLeft | null; sent: number; max: number },
  place: string,
): string | null {
  const limit = `maxUntrackedMb of ${place} is ${max / MB}`
  if (left) {
    const what = `${filesLeft(left)} of ${megabytes(left.bytes)} (the largest: ${visibleLine(left.largest)})`
    const why = left.lfs ? 'home has only pointers to what git-lfs keeps there' : limit
    return `${what} stay${left.files === 1 ? 's' : ''} in ${place}: ${why}`
  }
  if (!sendsCommitsAlone(sent, max)) return null
  return `its uncommitted work stays in ${place} until it ends, after ${megabytes(sent)} of it came home again and again: ${limit}`
}

export function filesLeft({ files, lfs }: WorkLeft): string {
  return plural(files, lfs ? 'file' : 'untracked file')
}

function megabytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / MB))} MB`
}
