// The index and the working tree of a checkout as two git trees, without touching either.
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { copyWithTime, readPlainText } from '../../lib/plain-file.ts'
import { lastLines } from '../git.ts'
import { resolveRef } from '../repository.ts'
import { type Checkout, fileOf, gitIn, gitLines, tryGitIn } from '../workspace/checkout.ts'
import { type IndexFlag, readFlags } from './index-flags.ts'
import { emptyRepository } from './nested-repositories.ts'

export interface Head {
  /** `refs/heads/…`, or null when detached. */
  ref: string | null
  /** null before the first commit. */
  commit: string | null
  tree: string
}

export interface Capture {
  head: Head
  indexTree: string
  workTree: string
  /** Conflict entries of the index, as `mode id stage<TAB>path`. */
  unmerged: string[]
  /** Paths in the index that are repositories of their own. */
  gitlinks: string[]
  /** The index's flags for files, apart from their content. */
  flags: IndexFlag[]
  /** Index file that holds the working tree. */
  workIndex: string
}

export interface CaptureOptions {
  /** Paths of untracked files that are not captured. */
  leave?: readonly Buffer[]
}

export async function captureTrees(
  checkout: Checkout,
  scratch: string,
  { leave = [] }: CaptureOptions = {},
): Promise<Capture> {
  const head = await readHead(checkout)
  const workIndex = join(scratch, 'work')
  const entries = await readIndex(checkout, workIndex)
  const unmerged = entries
    .filter((entry) => entry.stage !== '0')
    .map(({ mode, id, stage, path }) => `${mode} ${id} ${stage}\t${path}`)
  const indexTree = await writeIndexTree(checkout, {
    scratch,
    index: workIndex,
    unmerged: unmerged.length > 0,
    entries,
  })
  const flags = await readFlags(checkout, entries, indexTree)
  await revealHidden(checkout, workIndex, entries)
  const workTree = await addEverything(checkout, workIndex, leave)
  const gitlinks = entries.filter((entry) => entry.mode === '160000').map((entry) => entry.path)
  return { head, indexTree, workTree, unmerged, gitlinks, flags, workIndex }
}

export async function readHead(checkout: Checkout): Promise<Head> {
  const [commit, tree] = await gitLines(checkout, ['rev-parse', '--revs-only', 'HEAD^{commit}', 'HEAD^{tree}'], {
    read: true,
  })
  const text = readPlainText(join(checkout.gitDir, 'HEAD')).trim()
  const ref = text.startsWith('ref: ') ? text.slice(5) : null
  if (commit !== undefined && tree !== undefined) return { ref, commit, tree }
  if (ref === null || (await resolveRef(checkout, ref)) !== null) {
    throw new AoError('WORKSPACE_NOT_SAVED', `HEAD of ${checkout.path} (${text}) leads to no commit`)
  }
  return { ref, commit: null, tree: (await gitIn(checkout, ['mktree'], { input: '' })).trim() }
}

interface IndexEntry {
  tag: string
  mode: string
  id: string
  stage: string
  path: string
}

async function readIndex(checkout: Checkout, target: string): Promise<IndexEntry[]> {
  const source = join(checkout.gitDir, 'index')
  if (!existsSync(source)) return []
  copyWithTime(source, target)
  const listed = await gitLines(checkout, ['ls-files', '-v', '--stage'], withIndex(target))
  return listed.map((line) => {
    const [, tag, mode, id, stage, path] = /^(\S) (\d+) ([0-9a-f]+) (\d)\t(.*)$/.exec(line) ?? []
    if (path === undefined) throw new AoError('WORKSPACE_NOT_SAVED', `git ls-files printed an unknown line: ${line}`)
    return { tag: tag!, mode: mode!, id: id!, stage: stage!, path }
  })
}

interface IndexTree {
  scratch: string
  index: string
  unmerged: boolean
  entries: IndexEntry[]
}

/** What is staged. Paths in conflict are left out: they have no single staged content. */
async function writeIndexTree(checkout: Checkout, { scratch, index, unmerged, entries }: IndexTree): Promise<string> {
  if (!unmerged) return (await gitIn(checkout, ['write-tree'], withIndex(index))).trim()
  const merged = join(scratch, 'merged')
  const staged = entries
    .filter((entry) => entry.stage === '0')
    .map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\n`)
  await gitIn(checkout, ['update-index', '--index-info'], { ...withIndex(merged), input: staged.join('') })
  return (await gitIn(checkout, ['write-tree'], withIndex(merged))).trim()
}

/** Files that git is set to ignore (assume-unchanged, skip-worktree) may contain work all the same. */
async function revealHidden(checkout: Checkout, index: string, entries: IndexEntry[]): Promise<void> {
  const hidden = entries
    .filter((entry) => entry.tag === 'S' || entry.tag === entry.tag.toLowerCase())
    .filter((entry) => lstatSync(fileOf(checkout, entry.path), { throwIfNoEntry: false }) !== undefined)
  if (hidden.length === 0) return
  const input = hidden.map((entry) => `${entry.path}\n`).join('')
  for (const flag of ['--no-assume-unchanged', '--no-skip-worktree']) {
    await gitIn(checkout, ['update-index', flag, '--stdin'], { ...withIndex(index), input })
  }
}

async function addEverything(checkout: Checkout, index: string, leave: readonly Buffer[]): Promise<string> {
  const settings = [
    'add.ignoreErrors=false',
    'core.safecrlf=false',
    'core.untrackedCache=false',
    'advice.addEmbeddedRepo=false',
  ]
  const args = [...settings.flatMap((setting) => ['-c', setting]), 'add', '--all', '--sparse']
  const excluded = leave.flatMap((path) => [Buffer.from('\0:(exclude,top,literal)'), path])
  const input = Buffer.concat([Buffer.from('.'), ...excluded])
  const added = await tryGitIn(checkout, [...args, '--pathspec-from-file=-', '--pathspec-file-nul'], {
    ...withIndex(index),
    input,
  })
  // An unreadable directory is only a warning to git; to us it is work that would be lost.
  if (!added.ok || added.stderr.includes('could not open directory')) {
    const nested = emptyRepository(checkout, added.stderr)
    if (nested !== null) throw nested
    const why = lastLines(added.stderr) || 'git add did not finish'
    throw new AoError('WORKSPACE_NOT_SAVED', `The work in ${checkout.path} could not be saved: ${why}`)
  }
  return (await gitIn(checkout, ['write-tree'], withIndex(index))).trim()
}

export function withIndex(index: string): { extraEnv: Record<string, string> } {
  return { extraEnv: { GIT_INDEX_FILE: index } }
}
