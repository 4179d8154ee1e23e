// The conflicts of a merge as git sees them, where every one of them is between two versions of a text file.
import type { Stage } from '../../core/landing/resolve/rules.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import type { MergedPair } from '../make-merge-commit.ts'
import { readMerge } from '../resolve/git-files.ts'

export interface Conflict {
  path: string
  /** Of the merged file. */
  mode: string
  /** With conflict markers. */
  marked: string
  stages: readonly Stage[]
}

const MOST_FILES = 20
const MOST_CHARACTERS = 1024 * 1024
const PLAIN_MODES = new Set(['100644', '100755'])

/** null: there are none, or one of them is of another kind: a file that one side removed, a binary file, a link. */
export async function readMergeConflicts(
  repository: Repository,
  { ours, theirs }: MergedPair,
): Promise<{ tree: string; conflicts: Conflict[] } | null> {
  const merge = await readMerge(repository, { ours, theirs })
  if (merge === null || merge.conflicts.length === 0 || merge.conflicts.length > MOST_FILES) return null
  const { tree } = merge
  const conflicts: Conflict[] = []
  for (const { path, stages } of merge.conflicts) {
    if (!stages.every(({ mode }) => PLAIN_MODES.has(mode))) return null
    const own = stages.find(({ stage }) => stage === '2')
    if (own === undefined || !stages.some(({ stage }) => stage === '3')) return null
    const blob = await tryGitOn(repository, ['cat-file', 'blob', `${tree}:${path}`], { read: true })
    const isText = blob.ok && blob.stdout.length <= MOST_CHARACTERS && !/[\0\uFFFD]/.test(blob.stdout)
    if (!isText || !blob.stdout.includes('<<<<<<< ')) return null
    conflicts.push({ path, mode: own.mode, marked: blob.stdout, stages })
  }
  return { tree, conflicts }
}
