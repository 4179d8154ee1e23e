// Makes a fresh workspace usable: links, env files, files named in .worktreeinclude, then the project's own commands.
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { makeParents, pathInside, relativePath, staysInside } from '../../lib/inside-directory.ts'
import { readBytes } from '../../lib/plain-file.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { runGit } from '../git.ts'
import { ignoredAmong, keepOutOfGit } from '../keep-out-of-git.ts'
import type { Preparation } from './preparation.ts'
import { runPostCreate, runPreRemove } from './run-post-create.ts'

export async function prepareWorkspace(
  info: WorkspaceInfo,
  spec: WorkspaceSpec,
  context: PluginContext,
): Promise<void> {
  const preparation = preparationOf(info.path, spec, context)
  await linkPaths(preparation, spec.project.symlinks ?? [])
  await copyEnvFiles(preparation, spec.project.envFiles ?? ['.env'])
  await copyIncludedFiles(preparation)
  const { postCreate = [] } = spec.project
  if (postCreate.length > 0) await runPostCreate(preparation, spec, postCreate)
}

/** The project's own commands before the workspace is removed. Its work is saved by then. */
export async function tearDownWorkspace(path: string, spec: WorkspaceSpec, context: PluginContext): Promise<void> {
  await runPreRemove(preparationOf(path, spec, context), spec)
}

function preparationOf(target: string, spec: WorkspaceSpec, { env }: PluginContext): Preparation {
  return { source: spec.project.path, target, env, onProgress: spec.onProgress ?? (() => undefined) }
}

/** Env files of the main checkout, copied into the workspace and readable by their owner alone. */
async function copyEnvFiles(preparation: Preparation, entries: string[]): Promise<void> {
  const wanted = entries
    .map((entry) => checkEntry('envFiles', preparation, entry))
    .filter((path) => isWanted(preparation, path))
  if (wanted.length === 0) return
  // Excluded before it exists, so that `git add` can never pick up a secret.
  await keepOutOfGit(preparation.target, wanted, preparation.env)
  for (const path of wanted) {
    makeParents(preparation.target, path)
    const content = readBytes(join(preparation.source, path))
    writeFileSync(join(preparation.target, path), content, { flag: 'wx', mode: 0o600 })
  }
}

/** `key`: where the configuration names it. */
function checkEntry(key: 'envFiles' | 'symlinks', { source, target }: Preparation, entry: string): string {
  const path = relativePath(entry)
  if (path !== null && staysInside(source, path) && staysInside(target, path)) return path
  throw new AoError('CONFIG_INVALID', `${key}: ${JSON.stringify(entry)} does not lie inside the project`, {
    hint: 'Name paths relative to the project, without ..',
    details: { entry },
  })
}

function isWanted({ source, target, onProgress }: Preparation, path: string): boolean {
  const from = join(source, path)
  if (!existsSync(from) || !statSync(from).isFile()) return false
  if (lstatSync(join(target, path), { throwIfNoEntry: false })) return false
  if (pathInside(source, path) !== null) return true
  onProgress(`Not copied, because ${path} is a link that leads out of the project`)
  return false
}

async function linkPaths(preparation: Preparation, entries: string[]): Promise<void> {
  if (entries.length === 0) return
  const paths = entries.map((entry) => checkEntry('symlinks', preparation, entry))
  const linked = paths.filter((path) => linkOne(preparation, path))
  await keepOutOfGit(preparation.target, linked, preparation.env)
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

const MAX_FILES = 10_000
const MAX_BYTES = 1024 ** 3

async function copyIncludedFiles(preparation: Preparation): Promise<void> {
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
