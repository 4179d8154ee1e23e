// Everything that is ready, merged onto the base branch one after the other, without touching a branch.
import type { ReadyMerge } from '../../contract/radar.ts'
import { tryMerge } from '../../git/merge-trees.ts'
import { type RadarGit, radarEnv, radarGit, SETTINGS } from './radar-git.ts'

interface Step {
  /** What the next one is merged onto: the same as before when this one conflicts. */
  commit: string
  tree: string
  conflicts: string[]
}

/** What is known of each step, by the two commits that it merges. */
export type ReadyMemory = Map<string, Step>

const MOST_CACHED = 1_000
const IDENTITY = ['-c', 'user.name=ao radar', '-c', 'user.email=radar@localhost']

export async function mergeReady(
  git: RadarGit,
  memory: ReadyMemory,
  { base, ready, deadline }: { base: string; ready: ReadonlyArray<{ id: string; head: string }>; deadline: number },
): Promise<ReadyMerge> {
  const merged: string[] = []
  const left: ReadyMerge['left'] = []
  let commit = base
  let tree: string | null = null
  for (const { id, head } of ready) {
    const key = `${commit} ${head}`
    const step = memory.get(key) ?? (performance.now() < deadline ? await takeStep(git, commit, head) : null)
    if (step === null) return { merged, left, tree: null }
    if (memory.size >= MOST_CACHED) memory.clear()
    memory.set(key, step)
    if (step.conflicts.length > 0) {
      left.push({ id, files: step.conflicts })
    } else {
      merged.push(id)
      commit = step.commit
      tree = step.tree
    }
  }
  return { merged, left, tree }
}

/** null: git could not say. */
async function takeStep(git: RadarGit, onto: string, head: string): Promise<Step | null> {
  const merge = await tryMerge(git.repository, [onto, head], { extraEnv: radarEnv(git), settings: SETTINGS })
  if (merge === null) return null
  if (!merge.isClean) return { commit: onto, tree: merge.tree, conflicts: merge.files }
  const args = [...IDENTITY, 'commit-tree', merge.tree, '-p', onto, '-p', head]
  const commit = (await radarGit(git, args, 'Everything that is ready\n')).trim()
  return { commit, tree: merge.tree, conflicts: [] }
}
