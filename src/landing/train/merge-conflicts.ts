// The conflicts of a merge as git sees them, where every one of them is between two versions of a text file.
import type { MergedPair } from '../../forge/merge/make-merge-commit.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'

export interface Conflict {
  path: string
  /** Of the merged file. */
  mode: string
  /** With conflict markers. */
  marked: string
  stages: Array<{ mode: string; blob: string; stage: string }>
}

const MOST_FILES = 20
const MOST_CHARACTERS = 1024 * 1024
const ENTRY = /^(\d{6}) ([0-9a-f]{40,64}) ([123])\t([\s\S]+)$/
const PLAIN_MODES = new Set(['100644', '100755'])

/** null: there are none, or one of them is of another kind: a file that one side removed, a binary file, a link. */
export async function readMergeConflicts(
  repository: Repository,
  { ours, theirs }: MergedPair,
): Promise<{ tree: string; conflicts: Conflict[] } | null> {
  const merged = await tryGitOn(repository, ['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs])
  const [tree = '', ...entries] = merged.stdout.split('\0').filter(Boolean)
  if (merged.exitCode !== 1 || entries.length === 0) return null
  const byPath = new Map<string, Conflict['stages']>()
  for (const entry of entries) {
    const [, mode = '', blob = '', stage = '', path = ''] = ENTRY.exec(entry) ?? []
    if (!PLAIN_MODES.has(mode)) return null
    byPath.set(path, [...(byPath.get(path) ?? []), { mode, blob, stage }])
  }
  if (byPath.size > MOST_FILES) return null
  const conflicts: Conflict[] = []
  for (const [path, stages] of byPath) {
    const own = stages.find(({ stage }) => stage === '2')
    if (own === undefined || !stages.some(({ stage }) => stage === '3')) return null
    const blob = await tryGitOn(repository, ['cat-file', 'blob', `${tree}:${path}`], { read: true })
    const isText = blob.ok && blob.stdout.length <= MOST_CHARACTERS && !/[\0\uFFFD]/.test(blob.stdout)
    if (!isText || !blob.stdout.includes('<<<<<<< ')) return null
    conflicts.push({ path, mode: own.mode, marked: blob.stdout, stages })
  }
  return { tree, conflicts }
}
