// Whether a path stays inside a directory, with links resolved. The one answer for every path that a configuration, a repository
// or an agent names; `inside-directory.test.ts` has the table of hostile ones. It is about this moment: who waits in between asks
// again, and who opens the result follows no link.
import { lstatSync, mkdirSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path'
import { isGitsOwn } from '../core/text/match-path.ts'

/** The kernel's answer: Node's own takes `link/..` for the directory that the link is in. */
const realPath = realpathSync.native
/** As many as Linux follows. */
const MAX_LINKS = 40

/** Both absolute, with links resolved. A directory is inside itself. */
export function isInside(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

/**
 * Where a file at this path is, or would be created: links are resolved, also one to something that does not exist yet.
 * null: that cannot be told (a circle of links, a directory that may not be read).
 */
export function realPathOf(path: string): string | null {
  try {
    return path.includes('\0') ? null : realOf(resolve(path), MAX_LINKS)
  } catch {
    // Anything that cannot be told is inside of nothing.
    return null
  }
}

/** The real path, or null when it is not inside. A relative path starts at the directory; a missing directory contains nothing. */
export function pathInside(directory: string, path: string): string | null {
  try {
    const root = realPath(directory)
    const real = realPathOf(isAbsolute(path) ? path : `${root}${sep}${path}`)
    return real !== null && isInside(root, real) ? real : null
  } catch {
    // The directory is missing, or cannot be read.
    return null
  }
}

/** The normalized relative path, or null when it is not strictly below its root, or is git's own. Looks at no file. */
export function relativePath(path: string): string | null {
  if (path === '' || isAbsolute(path) || path.includes('\0')) return null
  if (path.split(/[\\/]/).includes('..') || isGitsOwn(path)) return null
  const normal = normalize(path).replace(/(?<!\/)\/+$/, '')
  return normal === '.' || normal === '' ? null : normal
}

/** Are all directories on the way to `root/path` inside `root`? The last part may be a link: that is for the caller to judge. */
export function staysInside(root: string, path: string): boolean {
  return pathInside(root, dirname(join(root, path))) !== null
}

export function makeParents(root: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
}

function realOf(path: string, links: number): string {
  try {
    return realPath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const name = basename(path)
  if (name === '..' || name === '.') throw new Error(`${path} does not exist`)
  const parent = realOf(dirname(path), links)
  const here = join(parent, name)
  if (lstatSync(here, { throwIfNoEntry: false }) === undefined) return here
  // A link to something that does not exist yet.
  if (links === 0) throw new Error(`${path} is one link too many`)
  const target = readlinkSync(here)
  return realOf(isAbsolute(target) ? target : parent + sep + target, links - 1)
}
