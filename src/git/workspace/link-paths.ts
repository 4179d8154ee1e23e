// `symlinks` of a project: paths of the main checkout that every workspace shares through a link.
import { lstatSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { makeParents, relativePath, staysInside } from '../../lib/inside-directory.ts'
import { keepOutOfGit } from '../keep-out-of-git.ts'
import type { Preparation } from './preparation.ts'

export async function linkPaths(preparation: Preparation, entries: string[]): Promise<void> {
  const paths = entries.map((entry) => checkEntry(preparation, entry))
  const linked = paths.filter((path) => linkOne(preparation, path))
  await keepOutOfGit(preparation.target, linked, preparation.env)
}

function checkEntry({ source, target }: Preparation, entry: string): string {
  const path = relativePath(entry)
  if (path !== null && staysInside(source, path) && staysInside(target, path)) return path
  throw new AoError('CONFIG_INVALID', `symlinks: ${JSON.stringify(entry)} does not lie inside the project`, {
    hint: 'Name paths relative to the project, without ..',
    details: { entry },
  })
}

/** true: the link exists now. An existing file, tracked or not, is never replaced. */
function linkOne({ source, target, onProgress }: Preparation, path: string): boolean {
  const from = join(source, path)
  const to = join(target, path)
  if (lstatSync(from, { throwIfNoEntry: false }) === undefined) {
    onProgress(`Not linked, because the project has no ${path}`)
    return false
  }
  const there = lstatSync(to, { throwIfNoEntry: false })
  if (there?.isSymbolicLink() && readlinkSync(to) === from) return true
  if (there) {
    onProgress(`Not linked, because the workspace has a ${path} of its own`)
    return false
  }
  makeParents(target, path)
  symlinkSync(from, to)
  return true
}
