// Branches put together on the base branch as a train would, and the project's own checks on the result, in a checkout of their own
// and at the lowest priority. Complete results go to where the train looks for them; nothing of the train waits for these runs.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { UnionResult } from '../../core/radar/decide-unions.ts'
import type { Repository } from '../../git/repository.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { withFreeLock } from '../../lib/lock.ts'
import { readBytes } from '../../lib/plain-file.ts'
import { type CheckRecord, type CheckStore, createCheckStore } from '../checks/check-store.ts'
import { ciDirectory, clearCi, holdsSomething, withCheckout } from '../checks/ci-directory.ts'
import type { TreeGates } from '../checks/project-gates.ts'
import { runCommands } from '../checks/run-commands.ts'
import { makeMergeCommit } from '../make-merge-commit.ts'
import { treeOf } from '../train/build-cars.ts'

export interface MadeUnion {
  commit: string
  tree: string
}

/** null: they do not merge, or one of them is not what it says. `merged`: what was made before, by the two commits. */
export async function makeUnion(
  repository: Repository,
  merged: Map<string, string>,
  { base, branches }: { base: string; branches: ReadonlyArray<{ branch: string; head: string }> },
): Promise<MadeUnion | null> {
  try {
    let commit = base
    for (const { branch, head } of branches) {
      const pull = { number: 0, title: 'Tried together by ao radar', body: '', head: branch, base: 'the base branch' }
      const request = { pull, head, base: commit, method: 'squash', steady: true } as const
      const made = merged.get(`${commit} ${head}`) ?? (await makeMergeCommit(repository, request))
      merged.set(`${commit} ${head}`, made)
      commit = made
    }
    return { commit, tree: await treeOf({ repository: () => repository }, commit) }
  } catch (error) {
    if (error instanceof AoError) return null
    throw error
  }
}

export interface UnionWhere {
  projectDir: string
  gates: TreeGates
  tree: string
  attempt: number
}

/** Of a complete run, with the check that failed; null: there was none. */
export function readUnion({
  projectDir,
  gates,
  tree,
  attempt,
}: UnionWhere): [UnionResult, check: string | null] | null {
  const own = ownStore(projectDir, attempt)
  const records = gates.programs.map((command) => own.read(tree, command))
  const whole = records.filter((record) => record !== null && record.status !== 'running') as CheckRecord[]
  if (whole.length === records.length && !whole.every(hasEnded)) return ['unknown', null]
  const result = gates.resultOf(tree, attempt)
  if (result === null || result.state === 'running') return null
  return result.state === 'passed' ? ['green', null] : ['red', result.check]
}

/** The end of what the check printed. */
export function readUnionLog({ gates, tree, attempt }: UnionWhere, check: string, bytes: number): string {
  const command = gates.programs.find(({ name }) => name === check)
  return command ? gates.store(attempt).readLogEnd(tree, command, bytes) : ''
}

/** By itself. At this priority, what runs out of time may only have been slow. */
function hasEnded({ status, exitCode }: CheckRecord): boolean {
  return status === 'passed' || typeof exitCode === 'number'
}

/** Commands have their own limits; all of them together have this one. */
const LONGEST_RUN_MS = 30 * 60_000

/** `busy`: another process is at it. */
export async function runUnion({
  repository,
  commit,
  signal: stopped,
  ...where
}: UnionWhere & { repository: Repository; commit: string; signal: AbortSignal }): Promise<'done' | 'busy'> {
  const { projectDir, gates, tree, attempt } = where
  gates.requireTrust()
  const ci = ciOf(projectDir)
  const marker = `radar-${randomUUID()}`
  const store = ownStore(projectDir, attempt)
  const limit = AbortSignal.timeout(LONGEST_RUN_MS)
  const ran = await withFreeLock(ci.lock, async () => {
    for (const command of gates.programs) store.remove(tree, command)
    await withCheckout(ci, repository, { commit, marker }, () =>
      runCommands(gates.host, {
        ...{ commands: gates.programs, change: null, store, key: tree },
        in: { directory: ci.worktree, marker, inBackground: true },
        signal: AbortSignal.any([stopped, limit]),
      }),
    )
    if (limit.aborted && !stopped.aborted) giveUp(store, where)
    handOver(store, where)
    store.sweep(new Set([tree]))
  })
  return ran === null ? 'busy' : 'done'
}

/** What a killed process left: its worktree, its programs. */
export async function sweepUnions(projectDir: string, repository: Repository): Promise<void> {
  if (!existsSync(join(projectDir, 'radar', 'ci'))) return
  const ci = ciOf(projectDir)
  if (holdsSomething(ci)) await withFreeLock(ci.lock, () => clearCi(ci, repository))
}

function ciOf(projectDir: string): ReturnType<typeof ciDirectory> {
  return ciDirectory(join(projectDir, 'radar'))
}

function ownStore(projectDir: string, attempt: number): CheckStore {
  return createCheckStore({ projectDir: join(projectDir, 'radar', `run-${attempt}`) })
}

/** It is not tried again with these heads. */
function giveUp(store: CheckStore, { gates, tree }: UnionWhere): void {
  for (const command of gates.programs) {
    const { name, run, coverage } = command
    const why = `${name} did not finish in ${LONGEST_RUN_MS / 60_000} minutes`
    const record = { name, run, coverage, owner: '', startedAt: '', exitCode: null, why }
    if (store.read(tree, command) === null) store.write(tree, { ...record, status: 'failed' })
  }
}

/** A log first, then what says that it is there. Nothing half, and nothing over what the train found out itself. */
function handOver(store: CheckStore, { gates, tree, attempt }: UnionWhere): void {
  const found = gates.programs.map((command) => ({ command, record: store.read(tree, command) }))
  if (!found.every(({ record }) => record !== null && record.status !== 'running' && hasEnded(record))) return
  if (gates.resultOf(tree, attempt) !== null) return
  const shared = gates.store(attempt)
  for (const { command, record } of found) {
    const log = shared.logFile(tree, command)
    mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
    writeFileAtomic(log, readBytes(store.logFile(tree, command)), { isForeign: true })
    shared.write(tree, record!)
  }
}
