// A script may touch the workspace and nothing else: no escape through `..`, a symbolic link, or git's own files.
import { lstatSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** The absolute path, or why it is refused. */
export function confinePath(workspace: string, path: string): { path: string } | { refused: string } {
  const root = realpathSync(workspace)
  const target = isAbsolute(path) ? resolve(path) : resolve(root, path)
  const inside = relative(root, target)
  if (inside === '') return { refused: `${path} is the workspace itself` }
  if (leaves(inside)) return { refused: `${path} is outside the workspace` }
  if (inside.split(sep).some((part) => part.toLowerCase() === '.git')) return { refused: `${path} belongs to git` }
  const real = realTarget(target)
  if (real === null || leaves(relative(root, real))) return { refused: `${path} leads out of the workspace` }
  return { path: target }
}

function leaves(inside: string): boolean {
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
}

/** The real target of a write; null for a broken link, which a write would create out of sight. */
function realTarget(target: string): string | null {
  const missing: string[] = []
  for (let at = target; ; at = dirname(at)) {
    const kind = lstatSync(at, { throwIfNoEntry: false })
    if (kind) {
      try {
        return join(realpathSync(at), ...missing)
      } catch {
        // It exists but is a broken link.
        return null
      }
    }
    missing.unshift(at.slice(dirname(at).length).replace(sep, ''))
  }
}
