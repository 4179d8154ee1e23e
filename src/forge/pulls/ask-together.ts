// Asks git about many pairs of commits in one process each, so that a moved base branch does not cost two per pull request.
// What is not answered here (an older git, a missing commit) is queried individually later.
import { type Repository, tryGitOn } from '../../git/repository.ts'
import { answer, type CommitPair, isKnown, type MergeMemory } from '../merge/merge-memory.ts'

export async function askTogether(
  memory: MergeMemory,
  repository: Repository,
  pairs: readonly CommitPair[],
): Promise<void> {
  await Promise.all([askConflicts(memory, repository, pairs), askMerged(memory, repository, pairs)])
}

async function askConflicts(memory: MergeMemory, repository: Repository, pairs: readonly CommitPair[]): Promise<void> {
  const asked = pairs.filter((pair) => !isKnown(memory.conflicts, pair))
  if (asked.length < 2) return
  const args = ['merge-tree', '--write-tree', '--stdin', '--name-only', '--no-messages']
  const input = asked.map(({ head, base }) => `${base} ${head}\n`).join('')
  const { stdout } = await tryGitOn(repository, args, { input })
  for (const [index, hasConflicts] of readAnswers(stdout).entries()) {
    const pair = asked[index]
    if (pair) answer(memory.conflicts, pair, hasConflicts)
  }
}

/** For each merge, NUL-terminated: 1 or 0, the tree, the conflicting files, and an empty field. */
export function readAnswers(output: string): boolean[] {
  const answers: boolean[] = []
  const fields = output.split('\0')
  for (let at = 0; at + 2 < fields.length; ) {
    if (fields[at] !== '0' && fields[at] !== '1') break
    answers.push(fields[at] === '0')
    const end = fields.indexOf('', at + 2)
    if (end === -1) break
    at = end + 1
  }
  return answers
}

/** The heads are branches: git lists those that a base already contains. */
async function askMerged(memory: MergeMemory, repository: Repository, pairs: readonly CommitPair[]): Promise<void> {
  for (const base of new Set(pairs.map((pair) => pair.base))) {
    const asked = pairs.filter((pair) => pair.base === base && !isKnown(memory.ancestors, pair))
    if (asked.length < 2) continue
    const args = ['for-each-ref', `--merged=${base}`, '--format=%(objectname)', 'refs/heads']
    const result = await tryGitOn(repository, args, { read: true })
    if (!result.ok) continue
    const merged = new Set(result.stdout.split('\n'))
    for (const pair of asked) answer(memory.ancestors, pair, merged.has(pair.head))
  }
}
