// Git's answers about pairs of commits. Commits never change, so neither does the answer; bounded all the same.
import { readParents, walkFork } from '../core/git/walk-fork.ts'
import { tryMerges } from './merge-trees.ts'
import { type Repository, tryGitOn } from './repository.ts'

export interface CommitPair {
  head: string
  base: string
}

export interface MergeMemory {
  conflicts: Map<string, boolean>
  ancestors: Map<string, boolean>
  mergeBases: Map<string, string[]>
  /** Of those that conflict: do rules solve all of it? */
  solved: Map<string, boolean>
}

const MOST = 5_000

export function createMergeMemory(): MergeMemory {
  return { conflicts: new Map(), ancestors: new Map(), mergeBases: new Map(), solved: new Map() }
}

/** Would merging cause conflicts? null: git could not say. */
export function hasConflicts(memory: MergeMemory, repository: Repository, pair: CommitPair): Promise<boolean | null> {
  return remember(memory.conflicts, pair, async () => {
    const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', pair.base, pair.head]
    const { exitCode } = await tryGitOn(repository, args)
    return exitCode === 0 ? false : exitCode === 1 ? true : null
  })
}

/** Does `base` contain `head`? null: git could not say. */
export function isAncestor(memory: MergeMemory, repository: Repository, pair: CommitPair): Promise<boolean | null> {
  return remember(memory.ancestors, pair, async () => {
    const { exitCode } = await tryGitOn(repository, ['merge-base', '--is-ancestor', pair.head, pair.base], {
      read: true,
    })
    return exitCode === 0 ? true : exitCode === 1 ? false : null
  })
}

/** Their merge base. null: they have nothing in common, or git could not say. */
export async function mergeBase(memory: MergeMemory, repository: Repository, pair: CommitPair): Promise<string | null> {
  return (await mergeBases(memory, repository, pair))?.[0] ?? null
}

/** Several where histories cross, none where they have nothing in common. null: git could not say. */
export function mergeBases(memory: MergeMemory, repository: Repository, pair: CommitPair): Promise<string[] | null> {
  return remember(memory.mergeBases, pair, () => readMergeBases(repository, pair))
}

export async function readMergeBases(repository: Repository, { head, base }: CommitPair): Promise<string[] | null> {
  const { exitCode, stdout } = await tryGitOn(repository, ['merge-base', '--all', base, head], { read: true })
  return exitCode === 0 || exitCode === 1 ? stdout.split('\n').filter(Boolean) : null
}

export async function remember<T>(
  cache: Map<string, T>,
  pair: CommitPair,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  const before = cache.get(keyOf(pair))
  if (before !== undefined) return before
  const result = await ask()
  if (result !== null) answer(cache, pair, result)
  return result
}

function isCached(cache: Map<string, unknown>, pair: CommitPair): boolean {
  return cache.has(keyOf(pair))
}

function answer<T>(cache: Map<string, T>, pair: CommitPair, result: T): void {
  if (cache.size >= MOST) cache.delete(cache.keys().next().value!)
  cache.set(keyOf(pair), result)
}

function keyOf({ head, base }: CommitPair): string {
  return `${head} ${base}`
}

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

/** Of all pairs with one process; those that it cannot answer are left open. */
export async function askConflicts(
  memory: MergeMemory,
  repository: Repository,
  pairs: readonly CommitPair[],
): Promise<void> {
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
