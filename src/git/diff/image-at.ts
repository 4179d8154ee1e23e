// The bytes of a file in a commit or a checkout, for pictures in diffs.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { relativePath, staysInside } from '../../lib/inside-directory.ts'
import { readBytes } from '../../lib/plain-file.ts'
import { runGit } from '../git.ts'

export const MOST_IMAGE_BYTES = 10 * 1024 * 1024

/** null: there is no such file in it, or it is too large to show. `directory`: a checkout, or the repository itself. */
export async function fileInCommit(
  directory: string,
  { commit, path }: { commit: string; path: string },
  env: NodeJS.ProcessEnv,
): Promise<Buffer | null> {
  if (relativePath(path) !== path) return null
  const git = (args: string[], encoding?: 'latin1') =>
    runGit(directory, args, { env, read: true, ...(encoding && { encoding, maxOutputBytes: 4 * MOST_IMAGE_BYTES }) })
  const listed = await git(['--literal-pathspecs', 'ls-tree', '-z', '--long', '--full-tree', commit, '--', path])
  const [, blob, size, name] = /^100[0-7]{3} blob ([0-9a-f]+) +([0-9]+)\t([^\0]*)\0$/.exec(listed) ?? []
  if (blob === undefined || name !== path || Number(size) > MOST_IMAGE_BYTES) return null
  return Buffer.from(await git(['cat-file', 'blob', blob], 'latin1'), 'latin1')
}

/** null: it is not a plain file inside the checkout, or too large. */
export function fileInCheckout(checkout: string, path: string): Buffer | null {
  const inside = relativePath(path)
  if (inside === null || !staysInside(checkout, inside)) return null
  const file = join(checkout, inside)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size > MOST_IMAGE_BYTES) return null
  return readBytes(file, { maxBytes: MOST_IMAGE_BYTES, noFollow: true })
}
