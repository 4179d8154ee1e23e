// A change whose numbers are taken meanwhile, as it would be with free ones: its files renamed, and their names where the change
// itself wrote them. Then git merges it like every other.
import { numberIn, type Renaming, renameIn, renumber, type Sequence } from '../../core/landing/resolve/sequence.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import type { MergedPair } from '../make-merge-commit.ts'
import { commitTree, editTree, readTexts, type TreeEdit, writeBlob } from './git-files.ts'

export type Renumbered = { theirs: string; renamings: Renaming[] } | { why: string } | null

interface Changed {
  path: string
  status: string
  mode: string
  /** Before and after; before is zeros where there was none. */
  before: string
  blob: string
}

/** null: nothing is to be done. */
export async function renumberChange(
  repository: Repository,
  pair: MergedPair,
  sequences: readonly Sequence[],
): Promise<Renumbered> {
  const from = sequences.length === 0 ? null : await onlyMergeBase(repository, pair)
  if (from === null) return null
  const changed = await readChange(repository, from, pair.theirs)
  const renamings: Renaming[] = []
  for (const sequence of sequences) {
    const added = changed.filter(({ path, status }) => status === 'A' && numberIn(sequence, path) !== null)
    if (added.length === 0) continue
    const taken = await listEntries(repository, pair.ours, sequence.directory)
    const isThere = await sameFiles(repository, pair.ours, added)
    const paths = added.flatMap(({ path }) => (isThere.has(path) ? [] : [path]))
    const moved = renumber(sequence, { taken, added: paths })
    if (moved === null) return { why: `the sequence ${sequence.name} has no number left` }
    renamings.push(...moved)
  }
  if (renamings.length === 0) return null
  const edits = await editsOf(repository, changed, renamings)
  const tree = await editTree(repository, `${pair.theirs}^{tree}`, edits)
  return { theirs: await commitTree(repository, tree, from), renamings }
}

/** null: histories that cross are not merged at all. */
async function onlyMergeBase(repository: Repository, { ours, theirs }: MergedPair): Promise<string | null> {
  const found = await tryGitOn(repository, ['merge-base', '--all', ours, theirs], { read: true })
  const bases = found.ok ? found.stdout.split('\n').filter(Boolean) : []
  return bases.length === 1 ? bases[0]! : null
}

async function readChange(repository: Repository, from: string, to: string): Promise<Changed[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', '--no-abbrev', from, to]
  const fields = (await gitOn(repository, args, { read: true })).split('\0')
  const changed: Changed[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', before = '', blob = '', status = ''] = fields[at]!.split(' ')
    changed.push({ path: fields[at + 1]!, status, mode, before, blob })
  }
  return changed
}

/** Files and directories of one directory; none where it does not exist. */
async function listEntries(repository: Repository, commit: string, directory: string): Promise<string[]> {
  const args = ['ls-tree', '-z', '--name-only', `${commit}:${directory}`]
  const listed = await tryGitOn(repository, args, { read: true })
  const prefix = directory === '' ? '' : `${directory}/`
  return listed.ok ? listed.stdout.split('\0').flatMap((name) => (name === '' ? [] : [prefix + name])) : []
}

/** Those that the base branch has, too, exactly like this: they landed already, and keep their number. */
async function sameFiles(repository: Repository, ours: string, added: readonly Changed[]): Promise<Set<string>> {
  const plain = added.filter(({ path }) => !path.includes('\n'))
  const input = plain.map(({ path }) => `${ours}:${path}\n`).join('')
  const answers = await gitOn(repository, ['cat-file', '--batch-check=%(objectname)'], { read: true, input })
  const lines = answers.split('\n')
  return new Set(plain.flatMap(({ path, blob }, index) => (lines[index] === blob ? [path] : [])))
}

const MOST_FILES = 1_000

/** Renamed files, and texts of the change that name them. */
async function editsOf(
  repository: Repository,
  changed: readonly Changed[],
  renamings: readonly Renaming[],
): Promise<TreeEdit[]> {
  const files = changed.filter(({ status, mode }) => status !== 'D' && (mode === '100644' || mode === '100755'))
  const blobs = files
    .slice(0, MOST_FILES)
    .flatMap(({ blob, before }) => (/^0+$/.test(before) ? [blob] : [blob, before]))
  const texts = await readTexts(repository, blobs)
  const edits: TreeEdit[] = []
  for (const { path, status, mode, before, blob } of changed) {
    if (status === 'D') continue
    const renaming = renamings.find(({ from }) => path === from || path.startsWith(`${from}/`))
    const text = texts.get(blob)
    const renamed = text === undefined ? undefined : renameIn(text, texts.get(before) ?? null, renamings)
    const content = renamed === undefined || renamed === text ? blob : await writeBlob(repository, renamed)
    if (renaming === undefined && content === blob) continue
    if (renaming) edits.push({ path, mode, blob: null })
    const to = renaming ? renaming.to + path.slice(renaming.from.length) : path
    edits.push({ path: to, mode, blob: content })
  }
  return edits
}
