// With whom a pull request really conflicts: its head is merged with every step of what it would land on, and whoever's step
// changes the conflict has lines in it. For people and agents only: nothing is decided by it.

import type { Left, TrainEventBody, TrainState } from '../../core/landing/train-state.ts'
import { oneSide, readConflictHunks } from '../../core/radar/conflict-hunks.ts'
import { readMergeBases } from '../../git/merge-memory.ts'
import { type TriedMerge, tryMerges } from '../../git/merge-trees.ts'
import { gitOn, type Repository, resolveRef, tryGitOn } from '../../git/repository.ts'
import { carRef } from './build-cars.ts'

const MOST_STEPS = 40
const MOST_FILES = 5
const MOST_HUNKS = 3
const LONGEST_SIDE = 600

export interface ExplainedTrain {
  repository: Repository
  projectId: string
  state: TrainState
}

/** The event as it is, if it is about something else. */
export async function explainConflict(train: ExplainedTrain, event: TrainEventBody): Promise<TrainEventBody> {
  if (event.type !== 'left' || event.why !== 'conflict' || event.onto === undefined) return event
  const { repository } = train
  const { onto, headSha } = event
  const [start] = (await readMergeBases(repository, { base: onto.commit, head: headSha })) ?? []
  if (start === undefined) return event
  const args = ['rev-list', '--first-parent', `--max-count=${MOST_STEPS}`, `${start}..${onto.commit}`]
  const steps = (await gitOn(repository, args, { read: true })).split('\n').filter(Boolean).reverse()
  const merges = await tryMerges(
    repository,
    steps.map((step) => [step, headSha]),
  )
  const last = merges.at(-1)
  if (!last || last.isClean) return event
  const pullOf = await pullsOf(train, onto)
  const partners: number[] = []
  let before = ''
  for (const [index, merge] of merges.entries()) {
    if (merge === null) return event
    const after = JSON.stringify((await hunksOf(repository, merge)).map(({ path, their }) => [path, their]))
    const pull = pullOf.get(steps[index]!)
    if (after !== before && !merge.isClean && pull !== undefined) partners.push(pull)
    before = after
  }
  const hunks = (await hunksOf(repository, last)).slice(0, MOST_HUNKS)
  const sides = hunks.map(({ path, own, their }) => {
    return { path, own: oneSide(own, LONGEST_SIDE), their: oneSide(their, LONGEST_SIDE) }
  })
  return { ...event, files: last.files, partners, hunks: sides }
}

async function pullsOf({ repository, projectId, state }: ExplainedTrain, onto: NonNullable<Left['onto']>) {
  const found = new Map(state.landed.map(({ commit, pull }) => [commit, pull]))
  for (const { pull } of onto.cars) {
    const commit = await resolveRef(repository, carRef(projectId, pull))
    if (commit !== null) found.set(commit, pull)
  }
  return found
}

async function hunksOf(repository: Repository, { tree, files }: TriedMerge): Promise<NonNullable<Left['hunks']>> {
  const found: NonNullable<Left['hunks']> = []
  for (const path of files.slice(0, MOST_FILES)) {
    const blob = await tryGitOn(repository, ['cat-file', 'blob', `${tree}:${path}`], { read: true })
    // A file that one side removed has no lines to show.
    const hunks = blob.ok ? readConflictHunks(blob.stdout) : []
    found.push(...hunks.map(({ a, b }) => ({ path, own: b, their: a })))
    if (hunks.length === 0) found.push({ path, own: '', their: '' })
  }
  return found
}
