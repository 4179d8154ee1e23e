// Git's answers about pairs of commits. Commits never change, so neither does the answer; bounded all the same.
import { type Repository, tryGitOn } from '../../git/repository.ts'

export interface CommitPair {
  head: string
  base: string
}

export interface MergeMemory {
  conflicts: Map<string, boolean>
  ancestors: Map<string, boolean>
  mergeBases: Map<string, string[]>
  /** Own checks that a head changes. */
  changedChecks: Map<string, string[]>
}

const MOST = 5_000

export function createMergeMemory(): MergeMemory {
  return { conflicts: new Map(), ancestors: new Map(), mergeBases: new Map(), changedChecks: new Map() }
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

export function isCached(cache: Map<string, unknown>, pair: CommitPair): boolean {
  return cache.has(keyOf(pair))
}

export function answer<T>(cache: Map<string, T>, pair: CommitPair, result: T): void {
  if (cache.size >= MOST) cache.delete(cache.keys().next().value!)
  cache.set(keyOf(pair), result)
}

function keyOf({ head, base }: CommitPair): string {
  return `${head} ${base}`
}
