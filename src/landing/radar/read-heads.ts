// Where the live branches are now, uncommitted work included. Without a process when nobody has worked since.
import { join } from 'node:path'
import type { LiveBranch } from '../../core/radar/live-branches.ts'
import { locateGit, readHead } from '../../git/git-dir.ts'
import type { Repository } from '../../git/repository.ts'
import type { RadarGit } from './radar-git.ts'
import type { Memory, Seen } from './radar-memory.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

const SNAPSHOTS_AT_ONCE = 4

/** A clone's commits are in its own repository. */
export function objectsOfClones(repository: Repository, branches: readonly LiveBranch[]): string[] {
  const commonDirs = branches.flatMap(({ directory }) => {
    const common = directory === null ? null : quietly(() => locateGit(directory)?.commonDir ?? null)
    return common === null || common === repository.commonDir ? [] : [common]
  })
  return [...new Set(commonDirs)].map((common) => join(common, 'objects'))
}

export async function readHeads(
  git: RadarGit,
  memory: Memory,
  branches: readonly LiveBranch[],
  tips: ReadonlyMap<string, string>,
): Promise<Seen[]> {
  const seen = new Map<string, Seen>()
  const queue = branches.flatMap((branch) => {
    const checkedOut = branch.directory === null ? null : quietly(() => readHead(branch.directory!).commit)
    const head = checkedOut ?? tips.get(`refs/heads/${branch.branch}`) ?? null
    return head === null ? [] : [{ branch, head }]
  })
  let at = 0
  const work = async () => {
    for (let one = queue[at++]; one !== undefined; one = queue[at++])
      seen.set(one.branch.id, { ...one, snapshot: await snapshotOf(git, memory, one) })
  }
  await Promise.all(Array.from({ length: SNAPSHOTS_AT_ONCE }, work))
  return branches.flatMap(({ id }) => seen.get(id) ?? [])
}

async function snapshotOf(git: RadarGit, memory: Memory, { branch, head }: Omit<Seen, 'snapshot'>): Promise<Snapshot> {
  const { directory } = branch
  if (directory === null) return { commit: head, uncommitted: 0, problem: null }
  const cached = memory.snapshots.get(branch.id)
  if (cached?.head === head && cached.activeAt >= branch.activeAt) return cached.snapshot
  const { env } = git.repository
  memory.taken += 1
  const objects = git.objects.env(git.repository.commonDir, git.others)
  const snapshot = await takeSnapshot({ directory, head, env, objects, scratch: git.objects.scratch }).catch(
    // An agent may be in the middle of something; its commits count all the same.
    (error: Error): Snapshot => ({ commit: head, uncommitted: 0, problem: `its uncommitted work: ${error.message}` }),
  )
  memory.snapshots.set(branch.id, { head, activeAt: branch.activeAt, snapshot })
  return snapshot
}

function quietly<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    // Gone or being written at this moment; it is seen the next time.
    return null
  }
}
