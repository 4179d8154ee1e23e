// Keeps the paths of an agent's requests inside its workspace, symbolic links resolved.
import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

/** The real path. Throws when it is outside of all roots; a relative one begins at the first. */
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
    // A root that is gone holds nothing.
    return false
  }
}

/** Of what does not exist yet: its nearest existing directory decides. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return join(realOf(dirname(path)), basename(path))
  }
}
