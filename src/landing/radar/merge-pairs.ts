// Tries the merges of pairs of branches and remembers what git said: commits never change, so neither does the answer.
import type { ConflictedFile, ResolveEntry } from '../../core/landing/resolve/rules.ts'
import type { PairMerge } from '../../core/radar/build-meetings.ts'
import { type TriedMerge, tryMerge, tryMerges } from '../../git/merge-trees.ts'
import { type RadarGit, radarEnv, SETTINGS } from './radar-git.ts'
import { readConflicts } from './read-conflicts.ts'

export type CommitPair = readonly [ours: string, theirs: string]

export interface PairMemory {
  get(pair: CommitPair): PairMerge | undefined
  /** Tries those still unknown, until the time is over. Returns how many are left. */
  learn(git: RadarGit, pairs: readonly CommitPair[], deadline: number): Promise<number>
  /** Forgets pairs with other commits than these. */
  keep(commits: ReadonlySet<string>): void
}

/** Enough to be worth a process, few enough to stop in time. */
const CHUNK = 150
const AT_ONCE = 2
/** Characters of all conflicts together; beyond that only the files are remembered. */
const MOST_TEXT = 16 * 1024 * 1024
/** Files of one pair whose sides are read. */
const MOST_FILES = 20

/** `rules`: of the train, which solves such conflicts by itself. */
export function createPairMemory(rules: readonly ResolveEntry[]): PairMemory {
  const cached = new Map<string, PairMerge>()
  let kept = 0
  const remember = (pair: CommitPair, merge: PairMerge) => {
    const size = sizeOf(merge)
    const isKept = kept + size <= MOST_TEXT
    if (isKept) kept += size
    cached.set(keyOf(pair), isKept ? merge : withoutText(merge))
  }
  return {
    get: (pair) => cached.get(keyOf(pair)),
    async learn(git, pairs, deadline) {
      const open = pairs.filter((pair) => !cached.has(keyOf(pair)))
      let at = 0
      const work = async () => {
        while (at < open.length && performance.now() < deadline) {
          const chunk = open.slice(at, at + CHUNK)
          at += chunk.length
          const answers = await tryChunk(git, chunk, rules)
          for (const [index, pair] of chunk.entries()) if (answers[index]) remember(pair, answers[index])
        }
      }
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, Math.ceil(open.length / CHUNK)) }, work))
      return open.filter((pair) => !cached.has(keyOf(pair))).length
    },
    keep(commits) {
      for (const [key, merge] of cached) {
        const at = key.indexOf(' ')
        if (commits.has(key.slice(0, at)) && commits.has(key.slice(at + 1))) continue
        cached.delete(key)
        kept -= sizeOf(merge)
      }
    },
  }
}

async function tryChunk(
  git: RadarGit,
  pairs: readonly CommitPair[],
  rules: readonly ResolveEntry[],
): Promise<Array<PairMerge | null>> {
  const { repository, objects, others } = git
  const throwaway = objects.throwaway(repository.commonDir, others)
  try {
    const options = { extraEnv: throwaway.env, settings: SETTINGS, unrelated: true, staged: rules.length > 0 }
    const merges = await tryMerges(repository, pairs, options)
    // git 2.38 takes only one pair at a time, and one that it cannot merge ends the answers for the others.
    for (const [index, pair] of pairs.entries()) merges[index] ??= await tryMerge(repository, pair, options)
    return await describe({ ...git, env: throwaway.env }, merges, rules)
  } finally {
    throwaway.remove()
  }
}

async function describe(
  git: RadarGit,
  merges: ReadonlyArray<TriedMerge | null>,
  rules: readonly ResolveEntry[],
): Promise<Array<PairMerge | null>> {
  const files = merges.flatMap((merge) =>
    merge === null ? [] : merge.files.slice(0, MOST_FILES).map((path) => ({ tree: merge.tree, path })),
  )
  const hunks = await readConflicts(git, files)
  const conflicts = merges.flatMap((merge) => merge?.conflicts ?? [])
  const solved = await solvedAmong(git, rules, conflicts)
  let next = 0
  return merges.map((merge) => {
    if (merge === null) return null
    const sides = merge.files.map((path, index) => [path, index < MOST_FILES ? (hunks[next++] ?? []) : []] as const)
    const byRule = (merge.conflicts ?? []).filter((file) => solved.has(file)).map(({ path }) => path)
    return { conflicts: new Map(sides), solved: new Set(byRule) }
  })
}

function sizeOf({ conflicts }: PairMerge): number {
  return [...conflicts.values()].flat().reduce((sum, { a, b }) => sum + a.length + b.length, 0)
}

function withoutText({ conflicts, solved }: PairMerge): PairMerge {
  return { conflicts: new Map([...conflicts.keys()].map((path) => [path, []])), solved }
}

function keyOf([ours, theirs]: CommitPair): string {
  return `${ours} ${theirs}`
}

/** What it takes is loaded only where there are rules. */
export async function solvedAmong(
  git: RadarGit,
  rules: readonly ResolveEntry[],
  conflicts: readonly ConflictedFile[],
): Promise<ReadonlySet<ConflictedFile>> {
  if (rules.length === 0 || conflicts.length === 0) return new Set()
  const { findSolved } = await import('../resolve/find-solved.ts')
  return findSolved(git.repository, rules, conflicts, radarEnv(git))
}
