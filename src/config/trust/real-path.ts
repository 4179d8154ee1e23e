// The real path, links resolved, even when its end does not exist yet.
import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

export function realPathOf(path: string): string {
  const absolute = resolve(path)
  try {
    return realpathSync(absolute)
  } catch (error) {
    const parent = dirname(absolute)
    if (parent === absolute) throw error
    // Missing or inaccessible: its parent says as much as can be known.
    return join(realPathOf(parent), basename(absolute))
  }
}

/** Both must be real paths. A directory is inside itself. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return !isAbsolute(way) && way.split(/[\\/]/)[0] !== '..'
}
