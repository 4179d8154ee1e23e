// Where directories go that git cannot confirm any more: kept a week beside the workspaces, never removed at once.
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Clock, systemClock } from '../../lib/clock.ts'

const KEEP_MS = 7 * 24 * 3600 * 1000

/** Moves `{base}/{project}/{session}` to `{base}/.trash/…`. Returns where it is now. */
export function moveToTrash(path: string, clock: Clock = systemClock): string {
  const trash = trashOf(path)
  mkdirSync(trash, { recursive: true, mode: 0o700 })
  const name = `${basename(dirname(path))}-${basename(path)}-${clock.now().getTime()}`
  const target = join(trash, name)
  renameSync(path, target)
  return target
}

/** Removes what has been in the trash for a week. Returns what could not be removed. */
export function sweepTrash(path: string, clock: Clock = systemClock): string[] {
  const failed: string[] = []
  for (const name of listTrash(trashOf(path))) {
    const since = Number(/-([0-9]{10,})$/.exec(name)?.[1] ?? Number.NaN)
    if (!(clock.now().getTime() - since > KEEP_MS)) continue
    try {
      rmSync(join(trashOf(path), name), { recursive: true, force: true })
    } catch {
      // Files of another user (made in a container) stay; the caller says so.
      failed.push(join(trashOf(path), name))
    }
  }
  return failed
}

function trashOf(path: string): string {
  return join(dirname(dirname(path)), '.trash')
}

function listTrash(trash: string): string[] {
  try {
    return readdirSync(trash)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
