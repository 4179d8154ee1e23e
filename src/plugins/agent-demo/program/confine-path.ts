// A script may touch the workspace and nothing else: no escape through `..`, a symbolic link, or git's own files.
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { isGitsOwn } from '../../../core/text/match-path.ts'
import { pathInside } from '../../../lib/inside-directory.ts'

/** The real path, or why it is refused. */
export function confinePath(workspace: string, path: string): { path: string } | { refused: string } {
  const real = pathInside(workspace, path)
  if (real === null) return { refused: `${path} is outside the workspace` }
  const inside = relative(realpathSync.native(workspace), real)
  if (inside === '') return { refused: `${path} is the workspace itself` }
  return isGitsOwn(path) || isGitsOwn(inside) ? { refused: `${path} belongs to git` } : { path: real }
}
