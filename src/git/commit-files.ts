// A commit with other contents of some files, made without touching any branch, index or checkout.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { relativePath } from '../lib/inside-directory.ts'
import { removeTree } from '../lib/remove.ts'
import { gitOn, type Repository, tryGitOn } from './repository.ts'

export interface FileAt {
  mode: string
  text: string
}

const MOST_BYTES = 2 * 1024 * 1024

/** null: there is no such plain text file in that commit. */
export async function readFileAt(repository: Repository, commit: string, path: string): Promise<FileAt | null> {
  const found = await findFileAt(repository, commit, path)
  if (found === null || found === 'other' || found.size > MOST_BYTES) return null
  const { mode, blob } = found
  const text = await gitOn(repository, ['cat-file', 'blob', blob], { read: true })
  // Anything that is not UTF-8 would come back as something else.
  const same = (await gitOn(repository, ['hash-object', '--no-filters', '--stdin'], { input: text })).trim() === blob
  return same && !text.includes('\0') ? { mode, text } : null
}

export interface FoundFile {
  mode: string
  blob: string
  size: number
}

/** null: there is nothing of that name in that commit. `other`: a link, a directory, a submodule, or no path at all. */
export async function findFileAt(
  repository: Repository,
  commit: string,
  path: string,
): Promise<FoundFile | 'other' | null> {
  if (relativePath(path) !== path) return 'other'
  const listed = await gitOn(repository, ['--literal-pathspecs', 'ls-tree', '-z', '--long', commit, '--', path], {
    read: true,
  })
  const [, mode, blob, size, name] = /^(100[0-7]{3}) blob ([0-9a-f]+) +([0-9]+)\t([^\0]*)\0$/.exec(listed) ?? []
  if (mode !== undefined && name === path) return { mode, blob: blob!, size: Number(size) }
  return listed === '' ? null : 'other'
}

/** A file as it is to be: another text, a content that git has, or none. */
export type NewFile = { path: string } & (FileAt | { mode: string; blob: string } | { isRemoved: true })

export interface NewCommit {
  parent: string
  files: readonly NewFile[]
  message: string
}

export async function commitFiles(repository: Repository, { parent, files, message }: NewCommit): Promise<string> {
  const hasIdentity = (await tryGitOn(repository, ['var', 'GIT_COMMITTER_IDENT'], { read: true })).ok
  if (!hasIdentity) {
    throw new AoError('GIT_FAILED', 'git does not know who you are, so it cannot make a commit', {
      hint: 'Tell it: git config --global user.name "…" && git config --global user.email "…"',
    })
  }
  const scratch = mkdtempSync(join(tmpdir(), 'ao-index-'))
  const extraEnv = { GIT_INDEX_FILE: join(scratch, 'index') }
  try {
    const entries: string[] = []
    for (const file of files) entries.push(`${await entryOf(repository, file, parent.length)}\t${file.path}\0`)
    await gitOn(repository, ['read-tree', parent], { extraEnv })
    await gitOn(repository, ['update-index', '-z', '--index-info'], { extraEnv, input: entries.join('') })
    const tree = (await gitOn(repository, ['write-tree'], { extraEnv })).trim()
    return (await gitOn(repository, ['commit-tree', tree, '-p', parent, '-F', '-'], { input: `${message}\n` })).trim()
  } finally {
    removeTree(scratch)
  }
}

async function entryOf(repository: Repository, file: NewFile, idLength: number): Promise<string> {
  if ('isRemoved' in file) return `0 ${'0'.repeat(idLength)}`
  if ('blob' in file) return `${file.mode} ${file.blob}`
  const blob = await gitOn(repository, ['hash-object', '-w', '--no-filters', '--stdin'], { input: file.text })
  return `${file.mode} ${blob.trim()}`
}
