// Cars as real commits: the base, every car ahead, and this pull request. No branch and no checkout is touched.
import { AoError } from '../../contract/errors.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { Car, Train } from '../../core/landing/decide-train.ts'
import type { Onto, Rider } from '../../core/landing/train-state.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { verified } from '../../git/vault/verified.ts'
import { type MergedPull, type MergeRequest, makeMergeCommit } from '../make-merge-commit.ts'
import type { Resolver } from '../resolve/resolver.ts'
import type { Solutions } from './solutions.ts'
import type { StackedRider } from './step-train.ts'

type Built =
  | ({ kind: 'car' } & Omit<Car, 'pull' | 'headSha'>)
  /** `why`: what came of the rules for conflicts. */
  | { kind: 'conflict'; files: string[]; why?: string | undefined }

/** What cars are made of, on whichever forge. */
export interface CarSource {
  projectId: string
  repository(): Repository
  /** null: the pull request is gone. */
  pullOf(number: number): MergedPull | null
  /** Conflicts that were solved before; null: a car with them could not land. */
  solutions: Solutions | null
  /** Conflicts that need no mind; null: there are no rules, or a car with them could not land. */
  resolver: Resolver | null
  /** Does the base branch become the very commit of the car, so that somebody may build on it now? */
  mayBuildOn: boolean
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
  { base, order, batch, method }: { base: string; order: readonly StackedRider[]; batch: number; method: MergeMethod },
): Promise<Train> {
  const meets: NonNullable<Train['meets']> = []
  const train: Train = { base, baseTree: await cachedTree(source, memory, base), cars: [], conflicts: [], meets }
  let tip = base
  for (const rider of order) {
    if (train.cars.length >= batch) break
    const { pull, headSha, on } = rider
    // What it stands on does not fit: nor does it.
    if (on !== undefined && !train.cars.some((car) => car.pull === on)) continue
    const built = await buildCar(source, memory, { tip, rider, method })
    if (built === null) continue
    if (built.kind === 'car') {
      const { kind: _, ...car } = built
      train.cars.push({ pull, headSha, ...car } satisfies Car)
      tip = car.commit
      continue
    }
    // What does not fit onto the base alone is not the fault of the cars ahead.
    const alone = tip === base ? built : await buildCar(source, memory, { tip: base, rider, method, isTrial: true })
    if (alone?.kind === 'conflict') train.conflicts.push({ pull, headSha, files: alone.files, said: alone.why })
    else if (source.mayBuildOn && on === undefined) {
      const { files, why: said } = built
      meets.push({ pull, headSha, files, said, behind: train.cars.length })
    }
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
    const [reused, resolved]: [string[], string[]] = [[], []]
    const { resolver } = source
    const solve: MergeRequest['solve'] = async (repository, pair) => {
      const solved = (await source.solutions?.solve(repository, pair)) ?? null
      if (solved) reused.push(...solved.files)
      return solved?.tree ?? null
    }
    const resolve: MergeRequest['resolve'] = async (vault, pair) => {
      const answer = (await resolver?.resolve(vault, pair, solve)) ?? null
      if (answer && 'tree' in answer) resolved.push(...answer.by)
      return answer
    }
    // Steady: the same parts make the same commit in every process, so that a car stays what its agents were asked to build on.
    const parts = { pull, head, base: tip, method, steady: true, solve, resolve }
    const commit = await makeMergeCommit(source.repository(), parts)
    return { kind: 'car', commit, tree: await treeOf(source, commit), reused: [...new Set(reused)], resolved }
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'PR_NOT_MERGEABLE') throw error
    const { files = [], why } = error.details as { files?: string[]; why?: string }
    return { kind: 'conflict', files, why }
  }
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

/** Offered cars that are in the history of the head and not in that of the base branch. */
export async function offersUnder(
  offers: readonly Onto[],
  { head, base, contains }: { head: string; base: string; contains(newer: string, older: string): Promise<boolean> },
): Promise<string[]> {
  const found: string[] = []
  for (const { commit } of offers)
    if ((await contains(head, commit)) && !(await contains(base, commit))) found.push(commit)
  return found
}
