// A head that has only gained commits: where its branch left the base branch is known, its files and lines need one git
// process, and what it met before is worth trying at once. That is the usual case while agents work.
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { readBytes } from '../../lib/plain-file.ts'
import type { CommitPair } from './merge-pairs.ts'
import type { RadarGit } from './radar-git.ts'
import type { Memory, Seen } from './radar-memory.ts'
import { type Comparison, type Fork, readTouchedLines } from './read-forks.ts'

const MOST_STEPS = 20
/** Of more, each would better be asked with all others. */
const MOST_FOLLOWED = 8
const MOST_FILES = 300

export interface Followed {
  head: string
  /** The head that it had before. */
  before: string
  fork: Fork & { from: string }
}

/** Without a process: commits that were just made are files of their own. */
export function followHeads(
  { memory, git, seen }: { memory: Memory; git: RadarGit; seen: Seen[] },
  base: string,
): Followed[] {
  const heads = [...new Set(seen.map(({ snapshot }) => snapshot.commit))]
  const moved = heads.filter((head) => !memory.forks.has(`${head} ${base}`))
  if (moved.length > MOST_FOLLOWED) return []
  const directories = [git.objects.directory, join(git.repository.commonDir, 'objects'), ...git.others]
  return moved.flatMap((head) => followOne(memory, directories, { head, base }) ?? [])
}

function followOne(
  memory: Memory,
  directories: string[],
  { head, base }: { head: string; base: string },
): Followed | null {
  let commit: string | null = head
  for (let steps = 0; commit !== null && steps <= MOST_STEPS; steps++) {
    const fork = memory.forks.get(`${commit} ${base}`)
    // One without commits of its own may follow the base branch.
    if (fork)
      return fork.from === null || fork.commits === 0 ? null : follow(memory, { head, before: commit, fork, steps })
    commit = onlyParent(directories, commit)
  }
  return null
}

function follow(
  memory: Memory,
  { head, before, fork, steps }: { head: string; before: string; fork: Fork; steps: number },
): Followed | null {
  const from = fork.from!
  const touched = memory.touched.get(`${before} ${from}`)
  if (!touched || touched.size > MOST_FILES) return null
  return { head, before, fork: { from, commits: fork.commits + steps } }
}

/** null: not known here, or it has several or none. */
function onlyParent(directories: readonly string[], commit: string): string | null {
  for (const directory of directories) {
    try {
      const bytes = readBytes(join(directory, commit.slice(0, 2), commit.slice(2)), { maxBytes: 64 * 1024 })
      const text = inflateSync(bytes, { maxOutputLength: 256 * 1024 }).toString('latin1')
      const head = text.slice(0, text.indexOf('\n\n'))
      const parents = [...head.matchAll(/^parent ([0-9a-f]{40,64})$/gm)]
      return text.startsWith('commit ') && parents.length === 1 ? parents[0]![1]! : null
    } catch {
      // In another directory, or in a pack: git is asked.
    }
  }
  return null
}

/** Facts about the heads now; those of which git said something unexpected are asked about again. */
export async function learnFollowed(
  git: RadarGit,
  memory: Memory,
  base: string,
  followed: readonly Followed[],
): Promise<void> {
  if (followed.length === 0) return
  const comparisons = followed.map(({ head, fork }): Comparison => ({ head, from: fork.from }))
  const found = await readTouchedLines(git, comparisons)
  for (const { head, fork } of followed) {
    const cached = found.get(head)
    if (cached === undefined) continue
    memory.forks.set(`${head} ${base}`, fork)
    memory.touched.set(`${head} ${fork.from}`, cached.touched)
    memory.lines.set(`${head} ${fork.from}`, cached.lines)
  }
}

/** The merges of before, with the new heads. */
export function guessPairs(last: readonly CommitPair[], followed: readonly Followed[]): CommitPair[] {
  const heads = new Map(followed.map(({ before, head }) => [before, head]))
  const now = (commit: string) => heads.get(commit) ?? commit
  return last.filter(([a, b]) => heads.has(a) || heads.has(b)).map(([a, b]): CommitPair => [now(a), now(b)])
}
