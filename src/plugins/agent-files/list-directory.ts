// Reads directories that belong to other programs: what is missing or unreadable counts as empty.
import { realpathSync } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export async function listDirectory(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch {
    // Nothing to find there.
    return []
  }
}

export interface OwnFile {
  path: string
  name: string
  at: Date
}

/** Plain files of this user in a directory, newest first: no links, nothing of other people, and no more than that. */
export async function ownFiles(directory: string, wanted: RegExp, most: number): Promise<OwnFile[]> {
  const names = (await listDirectory(directory)).filter((name) => wanted.test(name))
  const found = await Promise.all(
    names.map(async (name): Promise<OwnFile[]> => {
      const path = join(directory, name)
      const stats = await lstat(path).catch(() => null)
      if (!stats?.isFile() || stats.size === 0 || stats.uid !== process.getuid?.()) return []
      return [{ path, name, at: stats.mtime }]
    }),
  )
  return found
    .flat()
    .sort((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, most)
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
