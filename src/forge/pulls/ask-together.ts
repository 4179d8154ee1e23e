// Asks git about many pairs of commits in one process each, so that a moved base branch does not cost two per pull request.
// Anything that is not answered here (an older git, a missing commit) is queried individually later.
import { readParents, walkFork } from '../../core/git/walk-fork.ts'
import { tryMerges } from '../../git/merge-trees.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import { answer, type CommitPair, isCached, type MergeMemory } from '../merge/merge-memory.ts'

export async function askTogether(
  memory: MergeMemory,
  repository: Repository,
  pairs: readonly CommitPair[],
): Promise<void> {
  await Promise.all([
    askConflicts(memory, repository, pairs),
    askMerged(memory, repository, pairs),
    askStarts(memory, repository, pairs),
  ])
}

async function askConflicts(memory: MergeMemory, repository: Repository, pairs: readonly CommitPair[]): Promise<void> {
  const missing = pairs.filter((pair) => !isCached(memory.conflicts, pair))
  if (missing.length < 2) return
  const merges = await tryMerges(
    repository,
    missing.map(({ head, base }) => [base, head]),
  )
  for (const [index, merge] of merges.entries()) {
    if (merge !== null) answer(memory.conflicts, missing[index]!, !merge.isClean)
  }
}

/** The heads are branches: git lists those that a base already contains. */
async function askMerged(memory: MergeMemory, repository: Repository, pairs: readonly CommitPair[]): Promise<void> {
  for (const base of new Set(pairs.map((pair) => pair.base))) {
    const missing = pairs.filter((pair) => pair.base === base && !isCached(memory.ancestors, pair))
    if (missing.length < 2) continue
    const args = ['for-each-ref', `--merged=${base}`, '--format=%(objectname)', 'refs/heads']
    const result = await tryGitOn(repository, args, { read: true })
    if (!result.ok) continue
    const merged = new Set(result.stdout.split('\n'))
    for (const pair of missing) answer(memory.ancestors, pair, merged.has(pair.head))
  }
}

/** Where each left its base: from one walk over what the base does not have. Anything that is not simple is queried individually. */
async function askStarts(memory: MergeMemory, repository: Repository, pairs: readonly CommitPair[]): Promise<void> {
  for (const base of new Set(pairs.map((pair) => pair.base))) {
    const missing = pairs.filter((pair) => pair.base === base && !isCached(memory.mergeBases, pair))
    if (missing.length < 2) continue
    const input = [...missing.map(({ head }) => head), `^${base}`].map((line) => `${line}\n`).join('')
    const listed = await tryGitOn(repository, ['rev-list', '--parents', '--stdin'], { read: true, input })
    if (!listed.ok) continue
    const parents = readParents(listed.stdout)
    for (const pair of missing) {
      const { from } = walkFork(pair.head, parents)
      if (from !== null) answer(memory.mergeBases, pair, [from])
    }
  }
}
