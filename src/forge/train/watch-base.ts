// Is the base branch green after what was merged or pushed, and if not, since which commit? Trees that the train has tested
// cost nothing here; others are tested, and what fails gets a second run before anyone is blamed.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TreeResult } from '../../core/landing/decide-train.ts'
import { decideWatch } from '../../core/landing/decide-watch.ts'
import { resolveRef, tryGitOn } from '../../git/repository.ts'
import { treeOf } from '../../landing/train/build-cars.ts'
import { onlyTrain } from '../../landing/train/only-train.ts'
import { readWatch, type WatchState, writeWatch } from '../../landing/watch/watch-file.ts'
import { sleep } from '../../lib/clock.ts'
import type { LocalForge } from '../types.ts'
import { type CarChecks, createCarChecks, readTreeResult, sweepSlots } from './check-cars.ts'

export interface WatchOptions {
  forge: LocalForge
  projectDir: string
  signal: AbortSignal
}

const MOST_COMMITS = 200
const RUNS = [1, 2] as const
const WATCH_MS = 500

/** What is known now. null: another process is at it, or there is nothing to check it with. */
export async function watchBase(options: WatchOptions): Promise<WatchState | null> {
  const { forge, projectDir, signal } = options
  if (forge.options.ci.every(({ rule }) => rule !== undefined)) return null
  const directory = join(projectDir, 'landing')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  let trouble: string | null = null
  const onTrouble = (why: string) => {
    trouble = why
  }
  const checks = createCarChecks(forge, { directory, batch: 1, onTrouble })
  return onlyTrain(projectDir, async () => {
    await sweepSlots(forge, directory)
    try {
      while (!signal.aborted) {
        const state = await step(options, directory, checks)
        if (state !== 'testing') return state
        if (trouble !== null) throw new Error(trouble)
        await Promise.race([checks.changed(), sleep(WATCH_MS)])
      }
      return null
    } finally {
      await checks.stop()
    }
  })
}

async function step({ forge }: WatchOptions, directory: string, checks: CarChecks): Promise<WatchState | 'testing'> {
  const before = readWatch(directory)
  const branch = forge.project.defaultBranch
  const base = await resolveRef(forge.repository(), `refs/heads/${branch}`)
  if (base === null) return before
  const { chain, isAfterGreen } =
    base === before.green ? { chain: [], isAfterGreen: true } : await chainOf(forge, before.green, base)
  const trees = new Map<string, string>()
  for (const commit of chain) trees.set(commit, await treeOf(forge, commit))
  const resultOf = (commit: string) => resultIn(forge, directory, checks, trees.get(commit)!)
  const decision = decideWatch({ chain, isAfterGreen, resultOf })
  if (decision.kind === 'waiting') return 'testing'
  if (decision.kind === 'test') {
    const { commit } = decision
    const tree = trees.get(commit)!
    const attempt = RUNS.find((run) => readTreeResult(forge, directory, tree, run) === null) ?? 1
    if (checks.room() > 0) checks.start({ commit, tree, attempt })
    return 'testing'
  }
  const after =
    decision.kind === 'green' ? { green: base, red: null } : { ...before, red: redOf(forge, before, decision) }
  if (JSON.stringify(after) !== JSON.stringify(before)) writeWatch(directory, after)
  return after
}

function redOf(
  forge: LocalForge,
  { red }: WatchState,
  { commit, check }: { commit: string | null; check: string },
): NonNullable<WatchState['red']> {
  if (red && red.commit === commit && red.check === check) return red
  const pull = forge.pulls.list().find(({ mergeCommit }) => commit !== null && mergeCommit === commit)
  return { commit, check, pull: pull?.number ?? null }
}

/** A failure counts when the second run fails too. */
function resultIn(forge: LocalForge, directory: string, checks: CarChecks, tree: string): TreeResult | null {
  if (checks.resultOf(tree, 1)?.state === 'running') return { state: 'running' }
  const [first = null, second = null] = RUNS.map((run) => readTreeResult(forge, directory, tree, run))
  return first?.state === 'failed' ? second : first
}

/** Without a known green commit, only the head is looked at. */
async function chainOf(
  forge: LocalForge,
  green: string | null,
  base: string,
): Promise<{ chain: string[]; isAfterGreen: boolean }> {
  const alone = { chain: [base], isAfterGreen: false }
  if (green === null) return alone
  const args = ['rev-list', '--first-parent', '--reverse', `${green}..${base}`]
  const listed = await tryGitOn(forge.repository(), args, { read: true })
  const chain = listed.stdout.split('\n').filter(Boolean)
  // Rewritten, or too much at once.
  if (!listed.ok || chain.length === 0 || chain.length > MOST_COMMITS) return alone
  return { chain, isAfterGreen: true }
}
