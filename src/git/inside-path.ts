// Paths from configuration and repositories, kept inside a directory: no absolute ones, no `..`, no way out by a link.
import { mkdirSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'

/** The normalized relative path, or null when it is not a path strictly below something. */
export function relativePath(path: string): string | null {
  if (path === '' || isAbsolute(path) || path.includes('\0')) return null
  if (path.split(/[\\/]/).includes('..')) return null
  const normal = normalize(path).replace(/\/+$/, '')
  return normal === '.' || normal === '' || normal.split(sep)[0] === '.git' ? null : normal
}

/** Do all directories on the way to `root/path` really lie in `root`? What does not exist yet cannot lead out. */
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
