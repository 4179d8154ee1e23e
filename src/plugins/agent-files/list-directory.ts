// Reads directories that belong to other programs: what is missing or unreadable counts as empty.
import { realpathSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'

export async function listDirectory(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch {
    // Nothing to find there.
    return []
  }
}

/** When a plain, non-empty file was last changed; null for everything else. */
export async function modifiedAt(path: string): Promise<Date | null> {
  try {
    const stats = await stat(path)
    return stats.isFile() && stats.size > 0 ? stats.mtime : null
  } catch {
    // Not written yet, or removed meanwhile.
    return null
  }
}

/** The path and, where it differs, what it resolves to: agents record the latter. */
export function pathAndTarget(path: string): string[] {
  return [...new Set([path, realPath(path)])]
}

export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist, or no longer exists: the name is all there is.
    return path
  }
}
