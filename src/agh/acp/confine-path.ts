// Keeps the paths of an agent's requests inside its workspace, symbolic links resolved.
import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

/** The real path. Throws when it is outside of `root`. */
export function confinePath(root: string, path: string): string {
  if (path.includes('\0')) throw new Error('the path holds a zero byte')
  const realRoot = realpathSync(root)
  const real = realOf(isAbsolute(path) ? resolve(path) : resolve(realRoot, path))
  if (real !== realRoot && !real.startsWith(realRoot + sep)) throw new Error(`${path} is outside of the workspace`)
  return real
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
