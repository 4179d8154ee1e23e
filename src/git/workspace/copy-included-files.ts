// `.worktreeinclude`: patterns in gitignore syntax for ignored files of the main checkout that workspaces need too.
import { constants, copyFileSync, existsSync, lstatSync, readlinkSync, symlinkSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { makeParents, pathInside, relativePath, staysInside } from '../../lib/inside-directory.ts'
import { runGit } from '../git.ts'
import { ignoredAmong } from '../keep-out-of-git.ts'
import type { Preparation } from './preparation.ts'

const MAX_FILES = 10_000
const MAX_BYTES = 1024 ** 3

export async function copyIncludedFiles(preparation: Preparation): Promise<void> {
  const { source, onProgress } = preparation
  const patterns = join(source, '.worktreeinclude')
  if (!lstatSync(patterns, { throwIfNoEntry: false })?.isFile()) return
  const files = (await findIncluded(preparation, patterns)).filter((path) => isCopyable(preparation, path))
  const bytes = files.reduce((sum, path) => sum + lstatSync(join(source, path)).size, 0)
  if (files.length > MAX_FILES || bytes > MAX_BYTES) {
    // Half of a directory is useless.
    onProgress(
      `.worktreeinclude matches ${files.length} files of ${bytes} bytes, which is too much to copy: use symlinks`,
    )
    return
  }
  for (const path of files) copyOne(preparation, path)
  if (files.length > 0) onProgress(`Copied ${files.length} files named in .worktreeinclude`)
}

/** Files that match and that git ignores: nothing that could end up in a commit is copied. */
async function findIncluded({ source, env }: Preparation, patterns: string): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`]
  const matching = (await runGit(source, args, { env, read: true })).split('\0').filter((path) => path !== '')
  const ignored = await ignoredAmong(source, matching, env)
  return matching.filter((path) => ignored.has(path))
}

function isCopyable({ source, target, onProgress }: Preparation, path: string): boolean {
  const skip = (why: string) => {
    onProgress(`Not copied: ${JSON.stringify(path)} ${why}`)
    return false
  }
  // A name that is not UTF-8 cannot be distinguished from another one here.
  if (path.includes('\ufffd')) return skip('has a name that is not UTF-8')
  if (relativePath(path) === null || !staysInside(source, path) || !staysInside(target, path)) {
    return skip('leads out of the project')
  }
  const stat = lstatSync(join(source, path), { throwIfNoEntry: false })
  if (stat?.isSymbolicLink() && !leadsInside(source, path)) return skip('is a link that leads out of the project')
  if (!stat?.isFile() && !stat?.isSymbolicLink()) return false
  return lstatSync(join(target, path), { throwIfNoEntry: false }) === undefined
}

function leadsInside(source: string, path: string): boolean {
  const from = join(source, path)
  return existsSync(from) && pathInside(source, path) !== null && !isAbsolute(readlinkSync(from))
}

function copyOne({ source, target }: Preparation, path: string): void {
  const from = join(source, path)
  const to = join(target, path)
  makeParents(target, path)
  if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to)
  else copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
}
