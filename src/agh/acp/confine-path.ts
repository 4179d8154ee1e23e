// Confines the paths in an agent's requests to its workspace, with symbolic links resolved.
import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

/** The real path. Throws when it is outside all roots; a relative path is resolved against the first root. */
export function confinePath(roots: readonly string[], path: string): string {
  if (path.includes('\0')) throw new Error('the path holds a zero byte')
  const real = realOf(isAbsolute(path) ? resolve(path) : resolve(realpathSync(roots[0]!), path))
  if (roots.some((root) => isInside(real, root))) return real
  throw new Error(`${path} is outside of the workspace`)
}

function isInside(real: string, root: string): boolean {
  try {
    const realRoot = realpathSync(root)
    return real === realRoot || real.startsWith(realRoot + sep)
  } catch {
    // A missing root contains nothing.
    return false
  }
}

/** For a path that does not exist yet, its nearest existing directory decides. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return join(realOf(dirname(path)), basename(path))
  }
}
