// Everything that is ready, merged onto the base branch one after the other, without touching a branch.
import type { ReadyMerge } from '../../contract/dashboard/radar.ts'
import type { ResolveEntry } from '../../core/landing/resolve/rules.ts'
import { tryMerge } from '../../git/merge-trees.ts'
import { solvedAmong } from './merge-pairs.ts'
import { type RadarGit, radarEnv, radarGit, SETTINGS } from './radar-git.ts'

interface Step {
  /** What the next one is merged onto: the same as before when this one conflicts. */
  commit: string
  tree: string
  conflicts: string[]
  /** The train solves all of them by its rules. */
  isSolved: boolean
}

/** What is known of each step, by the two commits that it merges. */
export type ReadyMemory = Map<string, Step>

const MOST_CACHED = 1_000
const IDENTITY = ['-c', 'user.name=ao radar', '-c', 'user.email=radar@localhost']

interface ReadyRequest {
  base: string
  ready: ReadonlyArray<{ id: string; head: string }>
  deadline: number
  rules?: readonly ResolveEntry[] | undefined
}

export async function mergeReady(
  git: RadarGit,
  memory: ReadyMemory,
  { base, ready, deadline, rules = [] }: ReadyRequest,
): Promise<ReadyMerge> {
  const merged: string[] = []
  const left: ReadyMerge['left'] = []
  let commit = base
  let tree: string | null = null
  let isWhole = true
  for (const { id, head } of ready) {
    const key = `${commit} ${head}`
    const step = memory.get(key) ?? (performance.now() < deadline ? await takeStep(git, [commit, head], rules) : null)
    if (step === null) return { merged, left, tree: null }
    if (memory.size >= MOST_CACHED) memory.clear()
    memory.set(key, step)
    if (step.conflicts.length > 0 && !step.isSolved) {
      left.push({ id, files: step.conflicts })
    } else if (step.isSolved) {
      // How, only the train finds out: what comes after it is tried without it.
      merged.push(id)
      isWhole = false
    } else {
      merged.push(id)
      commit = step.commit
      tree = step.tree
    }
  }
  return { merged, left, tree: isWhole ? tree : null }
}

/** null: git could not say. */
async function takeStep(
  git: RadarGit,
  [onto, head]: readonly [string, string],
  rules: readonly ResolveEntry[],
): Promise<Step | null> {
  const extraEnv = radarEnv(git)
  const options = { extraEnv, settings: SETTINGS, staged: rules.length > 0 }
  const merge = await tryMerge(git.repository, [onto, head], options)
  if (merge === null) return null
  const { tree, files, conflicts = [] } = merge
  if (!merge.isClean) {
    const solved = await solvedAmong(git, rules, conflicts)
    return { commit: onto, tree, conflicts: files, isSolved: files.length > 0 && solved.size === files.length }
  }
  const args = [...IDENTITY, 'commit-tree', merge.tree, '-p', onto, '-p', head]
  const commit = (await radarGit(git, args, 'Everything that is ready\n')).trim()
  return { commit, tree: merge.tree, conflicts: [], isSolved: false }
}
