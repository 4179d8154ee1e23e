// Checks on cars, several at once, each in a checkout of its own. Results belong to the tree and are kept: a tree is never
// checked twice, except for the one second chance of a check that failed, which is a run of its own.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import type { TreeResult } from '../../core/landing/decide-train.ts'
import { type CheckStore, type CiCommand, createCheckStore } from '../../landing/checks/check-store.ts'
import { ciDirectory, clearCi, withCheckout } from '../../landing/checks/ci-directory.ts'
import { runCommands } from '../../landing/checks/run-commands.ts'
import { withLock } from '../../lib/lock.ts'
import { requireTrust } from '../create-forge.ts'
import { checksOf } from '../pulls/observe-pulls.ts'
import type { LocalForge } from '../types.ts'

export interface CarChecks {
  resultOf(tree: string, attempt: number): TreeResult | null
  start(wanted: { commit: string; tree: string; attempt: number }): void
  /** Ends the runs on other trees. */
  keepOnly(trees: ReadonlySet<string>): void
  /** The tree is that of a pull request's own head: what its CI found counts. */
  learn(tree: string, head: string): void
  /** How many more may be started now. */
  room(): number
  /** Resolves when a run ends. */
  changed(): Promise<void>
  stop(): Promise<void>
}

interface Run {
  tree: string
  slot: number
  abort: AbortController
  done: Promise<void>
}

const MOST_HEADS = 500

/** Rules are about what one pull request changes, and were answered for its head; a car holds several. */
export function commandsOfTrees({ options }: Pick<LocalForge, 'options'>): CiCommand[] {
  return options.ci.filter(({ rule }) => rule === undefined)
}

/** Of each run: `landing/run-1/checks/{tree}/`. */
export function treeStore(directory: string, attempt: number): CheckStore {
  return createCheckStore({ projectDir: join(directory, `run-${attempt}`) })
}

/** A train that was killed leaves checkouts and checks behind, in directories that the next one may not need. */
export async function sweepSlots(forge: LocalForge, directory: string): Promise<void> {
  if (!existsSync(directory)) return
  for (const name of readdirSync(directory).filter((one) => /^slot-(?:\d+|resolve)$/.test(one))) {
    const ci = ciDirectory(join(directory, name))
    await withLock(ci.lock, () => clearCi(ci, forge.repository()))
  }
}

export function readTreeResult(forge: LocalForge, directory: string, tree: string, attempt: number): TreeResult | null {
  const store = treeStore(directory, attempt)
  const records = commandsOfTrees(forge).map((command) => store.read(tree, command))
  const failed = records.find((record) => record?.status === 'failed')
  if (failed) return { state: 'failed', check: failed.name }
  if (records.every((record) => record?.status === 'passed')) return { state: 'passed' }
  return records.some((record) => record?.status === 'running') ? { state: 'running' } : null
}

export function createCarChecks(
  forge: LocalForge,
  { directory, batch, onTrouble }: { directory: string; batch: number; onTrouble(why: string): void },
): CarChecks {
  const runs = new Map<string, Run>()
  const heads = new Map<string, string>()
  const passedAsHead = (tree: string): boolean => {
    const head = heads.get(tree)
    // Not what passed beside an agent, which could have had a hand in it: what lands was tested here.
    const isOurs = (command: CiCommand) => forge.checks.read(head!, command)?.place === undefined
    return (
      head !== undefined &&
      checksOf(forge, head, null).every(({ status }) => status === 'passed') &&
      commandsOfTrees(forge).every(isOurs)
    )
  }
  let wake: () => void = () => undefined
  const execute = async (run: Run, { commit, tree, attempt }: Parameters<CarChecks['start']>[0]) => {
    const projectDir = join(directory, `slot-${run.slot}`)
    mkdirSync(projectDir, { recursive: true, mode: 0o700 })
    const ci = ciDirectory(projectDir)
    const marker = `train-${randomUUID()}`
    const store = treeStore(directory, attempt)
    // Half of an interrupted run says nothing about the whole: it starts from the beginning.
    const commands = commandsOfTrees(forge)
    for (const command of commands) store.remove(tree, command)
    await withLock(ci.lock, () =>
      withCheckout(ci, forge.repository(), { commit, marker }, () =>
        runCommands(forge, {
          commands,
          change: null,
          store,
          key: tree,
          in: { directory: ci.worktree, marker },
          signal: run.abort.signal,
        }),
      ),
    )
    store.sweep(new Set([tree]))
  }
  return {
    resultOf(tree, attempt) {
      if (runs.has(tree)) return { state: 'running' }
      return readTreeResult(forge, directory, tree, attempt) ?? (passedAsHead(tree) ? { state: 'passed' } : null)
    },
    learn(tree, head) {
      if (heads.size >= MOST_HEADS) heads.clear()
      heads.set(tree, head)
    },
    room: () => Math.max(0, batch - runs.size),
    start(wanted) {
      if (runs.has(wanted.tree)) return
      requireTrust(forge)
      const used = new Set([...runs.values()].map(({ slot }) => slot))
      const slot = Array.from({ length: batch }, (_, index) => index).find((index) => !used.has(index)) ?? 0
      const run: Run = { tree: wanted.tree, slot, abort: new AbortController(), done: Promise.resolve() }
      runs.set(wanted.tree, run)
      run.done = execute(run, wanted)
        .catch((error) => onTrouble(`the checks on ${wanted.commit.slice(0, 10)} could not run: ${errorText(error)}`))
        .finally(() => {
          runs.delete(wanted.tree)
          wake()
        })
    },
    keepOnly(trees) {
      for (const run of runs.values()) if (!trees.has(run.tree)) run.abort.abort()
    },
    changed: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
    async stop() {
      for (const { abort } of runs.values()) abort.abort()
      await Promise.all([...runs.values()].map(({ done }) => done))
    },
  }
}
