// Confines paths from configuration and repositories to a directory: no absolute ones, no `..`, no escape through a link.
import { mkdirSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'

/** The normalized relative path, or null when it is not strictly below its root. */
export function relativePath(path: string): string | null {
  if (path === '' || isAbsolute(path) || path.includes('\0')) return null
  if (path.split(/[\\/]/).includes('..')) return null
  const normal = normalize(path).replace(/\/+$/, '')
  return normal === '.' || normal === '' || normal.split(sep)[0] === '.git' ? null : normal
}

/** Are all directories on the way to `root/path` really inside `root`? What does not exist yet cannot escape. */
export function staysInside(root: string, path: string): boolean {
  const realRoot = realpathSync(root)
  const parent = realOfExisting(dirname(join(root, path)))
  return parent === realRoot || parent.startsWith(realRoot + sep)
}

export function makeParents(root: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
}

function realOfExisting(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return realOfExisting(dirname(path))
  }
}
