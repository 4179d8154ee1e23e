// Where directories go that git can no longer confirm: kept for a week beside the workspaces, never removed immediately.

import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { namesIn } from '../../lib/plain-file.ts'
import { removeTree } from '../../lib/remove.ts'

const KEEP_MS = 7 * 24 * 3600 * 1000
/** A name of our own: the base may be any directory, even one with another program's trash. */
const TRASH = '.ao-trash'

/** Moves `{base}/{project}/{session}` to `{base}/.ao-trash/…`. Returns where it is now. */
export function moveToTrash(path: string, clock: Clock = systemClock): string {
  const target = trashPath(path, clock)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  renameSync(path, target)
  return target
}

/** A free name for it in the trash. */
export function trashPath(path: string, clock: Clock = systemClock): string {
  const trash = join(dirname(dirname(path)), TRASH)
  const name = `${basename(dirname(path))}-${basename(path)}`
  for (let time = clock.now().getTime(); ; time++) {
    const target = join(trash, `${name}-${time}`)
    if (!existsSync(target)) return target
  }
}

/** Removes what has been in the trash of this base for a week. Returns what could not be removed. */
export function sweepTrash(base: string, clock: Clock = systemClock): string[] {
  const trash = join(base, TRASH)
  const failed: string[] = []
  for (const name of namesIn(trash)) {
    const since = Number(/-([0-9]{13})$/.exec(name)?.[1] ?? Number.NaN)
    if (!(clock.now().getTime() - since > KEEP_MS)) continue
    try {
      removeTree(join(trash, name))
    } catch {
      // Another user's files (made in a container) stay; the caller reports it.
      failed.push(join(trash, name))
    }
  }
  return failed
}
