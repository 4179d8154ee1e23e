// Cars as real commits: the base, every car ahead, and this pull request. No branch and no checkout is touched.
import { AoError } from '../../contract/errors.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { Car, Train } from '../../core/landing/decide-train.ts'
import type { Rider } from '../../core/landing/train-state.ts'
import { type MergedPull, type MergeRequest, makeMergeCommit } from '../../forge/merge/make-merge-commit.ts'
import type { LocalForge } from '../../forge/types.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { verified } from '../../git/vault/verified.ts'
import type { Solutions } from './solutions.ts'
import type { TrainFile } from './train-file.ts'

type Built = { kind: 'car'; commit: string; tree: string; reused: string[] } | { kind: 'conflict'; files: string[] }

/** What cars are made of, on whichever forge. */
export interface CarSource {
  projectId: string
  repository(): Repository
  /** null: the pull request is gone. */
  pullOf(number: number): MergedPull | null
  /** Conflicts that were solved before; null: a car with them could not land. */
  solutions: Solutions | null
  /** Does the base branch become the very commit of the car, so that somebody may build on it now? */
  mayBuildOn: boolean
}

export function carSource(forge: LocalForge, solutions: Solutions): CarSource {
  return {
    projectId: forge.project.id,
    repository: forge.repository,
    pullOf: (number) => forge.pulls.read(number),
    solutions,
    mayBuildOn: true,
  }
}

/** Commits never change: what was built on a commit once is the same car again, and a commit keeps its tree. */
export interface CarMemory {
  cars: Map<string, Built>
  trees: Map<string, string>
  /** `older newer`: is one in the history of the other? */
  ancestors: Map<string, boolean>
}

export function createCarMemory(): CarMemory {
  return { cars: new Map(), trees: new Map(), ancestors: new Map() }
}

const MOST_CACHED = 500

export async function buildCars(
  source: CarSource,
  memory: CarMemory,
  { base, order, batch, method }: { base: string; order: readonly Rider[]; batch: number; method: MergeMethod },
): Promise<Train> {
  const meets: NonNullable<Train['meets']> = []
  const train: Train = { base, baseTree: await cachedTree(source, memory, base), cars: [], conflicts: [], meets }
  let tip = base
  for (const rider of order) {
    if (train.cars.length >= batch) break
    const { pull, headSha } = rider
    const built = await buildCar(source, memory, { tip, rider, method })
    if (built === null) continue
    if (built.kind === 'car') {
      const { commit, tree, reused } = built
      train.cars.push({ pull, headSha, commit, tree, reused } satisfies Car)
      tip = commit
      continue
    }
    // What does not fit onto the base alone is not the fault of the cars ahead.
    const alone = tip === base ? built : await buildCar(source, memory, { tip: base, rider, method, isTrial: true })
    if (alone?.kind === 'conflict') train.conflicts.push({ pull, headSha, files: alone.files })
    else if (source.mayBuildOn) meets.push({ pull, headSha, files: built.files, behind: train.cars.length })
    // Otherwise it waits until the cars ahead have landed or left.
  }
  return train
}

/** null: the pull request is gone. */
async function buildCar(
  source: CarSource,
  memory: CarMemory,
  { tip, rider, method, isTrial }: { tip: string; rider: Rider; method: MergeMethod; isTrial?: boolean },
): Promise<Built | null> {
  const pull = source.pullOf(rider.pull)
  if (pull === null) return null
  const key = `${isTrial ? 'trial ' : ''}${tip} ${rider.headSha} ${method} ${pull.title} ${pull.body}`
  const cached = memory.cars.get(key)
  if (cached) return cached
  const built = await make(source, { tip, method, head: rider.headSha, pull })
  if (memory.cars.size >= MOST_CACHED) memory.cars.clear()
  memory.cars.set(key, built)
  // Its agent can check it out, and no garbage collection removes it.
  if (built.kind === 'car' && !isTrial)
    await gitOn(source.repository(), ['update-ref', carRef(source.projectId, rider.pull), built.commit])
  return built
}

async function make(
  source: CarSource,
  { tip, head, method, pull }: { tip: string; head: string; method: MergeMethod; pull: MergedPull },
): Promise<Built> {
  try {
    const reused: string[] = []
    const solve: MergeRequest['solve'] = async (repository, pair) => {
      const solved = (await source.solutions?.solve(repository, pair)) ?? null
      if (solved) reused.push(...solved.files)
      return solved?.tree ?? null
    }
    // Steady: the same parts make the same commit in every process, so that a car stays what its agents were asked to build on.
    const commit = await makeMergeCommit(source.repository(), { pull, head, base: tip, method, steady: true, solve })
    return { kind: 'car', commit, tree: await treeOf(source, commit), reused: [...new Set(reused)] }
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'PR_NOT_MERGEABLE') throw error
    const { files } = error.details as { files?: string[] }
    return { kind: 'conflict', files: files ?? [] }
  }
}

/** Cars that nobody needs: their pull request is closed, or it left for a reason other than the car. */
export async function sweepCars(forge: LocalForge, file: Pick<TrainFile, 'read'>): Promise<void> {
  const repository = forge.repository()
  const prefix = carRef(forge.project.id, 0).slice(0, -1)
  const listed = await gitOn(repository, ['for-each-ref', '--format=%(refname)', prefix], { read: true })
  const { riders, left } = file.read()
  const wanted = new Set([...riders, ...left.filter(({ why }) => why === 'red')].map(({ pull }) => pull))
  const refs = listed.split('\n').filter((ref) => {
    const pull = Number(ref.slice(prefix.length))
    return ref !== '' && !(wanted.has(pull) && forge.pulls.read(pull)?.state === 'open')
  })
  if (refs.length === 0) return
  await gitOn(repository, ['update-ref', '--stdin'], { input: refs.map((ref) => `delete ${ref}\n`).join('') })
}

export function carRef(projectId: string, pull: number): string {
  return `refs/ao/train/${projectId}/${pull}`
}

type WithRepository = Pick<CarSource, 'repository'>

export async function cachedTree(forge: WithRepository, { trees }: CarMemory, commit: string): Promise<string> {
  const tree = trees.get(commit) ?? (await treeOf(forge, commit))
  if (trees.size >= MOST_CACHED) trees.clear()
  trees.set(commit, tree)
  return tree
}

/** Asked anew: nothing lands by memory. */
export async function treeOf(forge: WithRepository, commit: string): Promise<string> {
  const vault = await verified(forge.repository(), [commit])
  return (await gitOn(vault, ['rev-parse', '--verify', `${commit}^{tree}`], { read: true })).trim()
}

/** Of the first commit of all: itself, so that nothing counts as changed. */
export async function firstParent(forge: WithRepository, commit: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^1`]
  const result = await tryGitOn(await verified(forge.repository(), [commit]), args, { read: true })
  return result.ok ? result.stdout.trim() : commit
}
