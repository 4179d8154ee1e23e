// Confines the paths in an agent's requests to its workspace.
import { isAbsolute, resolve } from 'node:path'
import { pathInside } from '../../lib/inside-directory.ts'

/** The real path. Throws when it is outside all roots; a relative path is resolved against the first root. */
export function confinePath(roots: readonly string[], path: string): string {
  const absolute = isAbsolute(path) ? path : resolve(roots[0]!, path)
  const real = roots.map((root) => pathInside(root, absolute)).find((one) => one !== null)
  if (real == null) throw new Error(`${path.replaceAll('\0', '?')} is outside of the workspace`)
  return real
}
