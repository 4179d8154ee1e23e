// Files in git's objects, without a checkout: conflicts with their versions, texts of blobs, trees with other files in them.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { ConflictedFile } from '../../core/landing/resolve/rules.ts'
import { tryMerge } from '../../git/merge-trees.ts'
import { gitOn, type Repository } from '../../git/repository.ts'
import { removeTree } from '../../lib/remove.ts'
import type { MergedPair } from '../make-merge-commit.ts'

/** null: git could not say. Without conflicts: the merged tree. */
export async function readMerge(
  repository: Repository,
  { ours, theirs }: MergedPair,
): Promise<{ tree: string; conflicts: ConflictedFile[] } | null> {
  const merge = await tryMerge(repository, [ours, theirs], { staged: true })
  return merge && { tree: merge.tree, conflicts: merge.conflicts ?? [] }
}

/** A larger one is no list that people keep. */
const MOST_BYTES = 1024 * 1024

/** Those that are texts: not binary, not huge. */
export async function readTexts(
  repository: Repository,
  blobs: readonly string[],
  extraEnv: Record<string, string> = {},
): Promise<Map<string, string>> {
  const wanted = [...new Set(blobs)]
  if (wanted.length === 0) return new Map()
  const options = { read: true, extraEnv }
  const sizes = await gitOn(repository, ['cat-file', '--batch-check=%(objecttype) %(objectsize)'], {
    ...options,
    input: wanted.map((blob) => `${blob}\n`).join(''),
  })
  const lines = sizes.split('\n')
  const small = wanted.filter((_, index) => {
    const [type, size] = (lines[index] ?? '').split(' ')
    return type === 'blob' && Number(size) <= MOST_BYTES
  })
  const found = new Map<string, string>()
  for (let at = 0; at < small.length; at += AT_ONCE) {
    const input = small.slice(at, at + AT_ONCE).map((blob) => `${blob}\n`)
    const args = ['cat-file', '--batch=%(objectname) %(objectsize)']
    const output = await gitOn(repository, args, { ...options, input: input.join(''), encoding: 'latin1' })
    for (const [blob, bytes] of splitBatch(output)) {
      const text = decode(bytes)
      if (text !== null) found.set(blob, text)
    }
  }
  return found
}

/** So that all of them fit into what git may print. */
const AT_ONCE = 32

/** Every byte is one character. */
export function* splitBatch(output: string): Generator<[blob: string, bytes: string]> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at)
    const [blob = '', size = ''] = output.slice(at, end).split(' ')
    const start = end + 1
    at = start + Number(size) + 1
    yield [blob, output.slice(start, at - 1)]
  }
}

function decode(bytes: string): string | null {
  if (bytes.includes('\0')) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    // Not UTF-8: to be taken as it is, or not at all.
    return null
  }
}

/** `blob` null: it is removed. */
export interface TreeEdit {
  path: string
  mode: string
  blob: string | null
}

/** The tree with these files instead. */
export async function editTree(repository: Repository, tree: string, edits: readonly TreeEdit[]): Promise<string> {
  const scratch = mkdtempSync(join(repository.commonDir, 'ao-index-'))
  const extraEnv = { GIT_INDEX_FILE: join(scratch, 'index') }
  const none = '0'.repeat(tree.split('^', 1)[0]!.length)
  const lines = edits.map(({ path, mode, blob }) => `${blob === null ? `0 ${none}` : `${mode} ${blob}`}\t${path}\0`)
  try {
    await gitOn(repository, ['read-tree', tree], { extraEnv })
    await gitOn(repository, ['update-index', '-z', '--index-info'], { extraEnv, input: lines.join('') })
    return (await gitOn(repository, ['write-tree'], { extraEnv })).trim()
  } finally {
    removeTree(scratch)
  }
}

export async function writeBlob(repository: Repository, content: string | Buffer): Promise<string> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin']
  return (await gitOn(repository, args, { input: content })).trim()
}

const NOBODY = {
  GIT_AUTHOR_NAME: 'ao',
  GIT_AUTHOR_EMAIL: 'ao@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'ao',
  GIT_COMMITTER_EMAIL: 'ao@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
}

/** A commit that lands nowhere: git merges commits, and checks them out. The same parts make the same one. */
export async function commitTree(repository: Repository, tree: string, parent: string): Promise<string> {
  const args = ['commit-tree', tree, '-p', parent, '-m', 'ao: on the way to a car']
  return (await gitOn(repository, args, { extraEnv: NOBODY })).trim()
}
