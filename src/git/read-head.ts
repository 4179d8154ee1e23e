// What a checkout has checked out, from its files alone: no subprocess. null: detached, unborn or unreadable.
import { join } from 'node:path'
import { MAX_FOREIGN_BYTES, readIfReachable, readPlainText } from '../lib/plain-file.ts'
import { type GitLocation, locateGit } from './git-dir.ts'

export function readHeadBranch(checkout: string): string | null {
  return quietly(checkout, (location) => branchOf(readHead(location)))
}

/** The commit; null also where refs are stored in a format other than files. */
export function readHeadCommit(checkout: string): string | null {
  return quietly(checkout, (location) => {
    const head = readHead(location)
    const branch = branchOf(head)
    if (branch === null) return asCommit(head)
    const ref = `refs/heads/${branch}`
    return asCommit(readIfReachable(join(location.commonDir, ref)) ?? '') ?? packedCommit(location, ref)
  })
}

function readHead({ gitDir }: GitLocation): string {
  return readPlainText(join(gitDir, 'HEAD')).trim()
}

function branchOf(head: string): string | null {
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null
}

function packedCommit({ commonDir }: GitLocation, ref: string): string | null {
  const line = readIfReachable(join(commonDir, 'packed-refs'), { maxBytes: MAX_FOREIGN_BYTES })
    ?.split('\n')
    .find((one) => one.endsWith(` ${ref}`))
  return line === undefined ? null : asCommit(line.split(' ')[0]!)
}

function asCommit(text: string): string | null {
  return /^[0-9a-f]{40,64}$/.test(text.trim()) ? text.trim() : null
}

/** An agent may be writing at this moment: what cannot be read now is unknown. */
function quietly(checkout: string, read: (location: GitLocation) => string | null): string | null {
  try {
    const location = locateGit(checkout)
    return location === null ? null : read(location)
  } catch {
    return null
  }
}
