// Who waits for a lock in the order in which they came: the empty file `{lock}.turn.{time}.{owner}` is a position in that line. It
// only decides who tries first, as a ticket does (lock-queue.ts): nobody waits for one whose owner is gone, suspended or hangs.
import { statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeFile } from '../remove.ts'
import { isOwnerWaiting, siblingsOf } from './lock-queue.ts'

/** A live waiter renews its file in time. */
const RENEW_AFTER_MS = 5_000
const VALID_MS = 15_000

export interface Turn {
  /** Does another process wait for longer? Call it while waiting: it renews our own position. */
  mustLetOthersGo(): boolean
  leave(): void
}

/** `since`: milliseconds since the epoch. Callers of one process take turns by themselves (lock.ts). */
export function joinTurns(path: string, owner: string, since: number): Turn {
  const prefix = `${basename(path)}.turn.`
  const own = `${prefix}${String(Math.floor(since)).padStart(15, '0')}.${owner}`
  const file = join(dirname(path), own)
  let writtenAt = 0
  const write = () => {
    writtenAt = Date.now()
    writeFileSync(file, '', { mode: 0o600 })
  }
  write()
  return {
    mustLetOthersGo() {
      if (Date.now() > writtenAt + RENEW_AFTER_MS) write()
      const isEarlier = (name: string) => name.startsWith(prefix) && name < own && !name.endsWith(`.${owner}`)
      return siblingsOf(path)
        .filter(isEarlier)
        .some((name) => {
          const other = join(dirname(path), name)
          return isOwnerWaiting(other, name.slice(prefix.length)) && isRenewed(other)
        })
    },
    leave: () => removeFile(file),
  }
}

function isRenewed(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > Date.now() - VALID_MS
}
