// A stop is complete when the set is empty: everything proven to belong to a start of an agent (own-processes.ts).
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import { sleep } from '../clock.ts'
import {
  createQuarry,
  findOwnProcesses,
  findOwnProcessesNow,
  isAnyRunning,
  markerOf,
  type Quarry,
  SPAWN_MARKER,
} from './own-processes.ts'
import { formatIdentity, hasHalted, type ProcessIdentity, processState } from './process-identity.ts'
import { readProcessTable } from './process-table.ts'
import { findUnproven, type UnprovenProcess } from './unproven-processes.ts'

export { SPAWN_MARKER }

/** Every live process with `AO_SPAWN_ID={spawnId}` in its environment. Linux only: elsewhere the list is empty. */
export function findBySpawnMarker(spawnId: string): ProcessIdentity[] {
  return readProcessTable()
    .filter((row) => markerOf(row) === spawnId)
    .map((row) => row.identity)
}

/** `root` and every process that is now proven to belong to the same start. */
export async function findFamily(spawnId: string, root: ProcessIdentity | null): Promise<ProcessIdentity[]> {
  const quarry = createQuarry(spawnId, root === null ? [] : [root])
  await findOwnProcesses(quarry)
  return [...quarry.found.values()]
}

export interface StopOptions {
  /** How long the cooperative signal may take; 0 sends SIGKILL immediately. */
  graceMs: number
  /** List what is left in this directory and may have come from the agent. */
  workspacePath?: string | undefined
  /** Runs between the cooperative signal and SIGKILL: the moment to close a terminal. */
  afterGrace?: (() => Promise<void>) | undefined
}

export interface StopOutcome {
  /** Anything that could not be ended (empty when it worked). */
  left: ProcessIdentity[]
  /** Left alone, because nothing proves that it was ours to end. */
  unproven: UnprovenProcess[]
}

/** Ends every process with the marker, plus `roots` with their sessions and descendants. */
export async function stopProcesses(
  spawnId: string,
  roots: readonly ProcessIdentity[],
  options: StopOptions,
): Promise<StopOutcome> {
  const quarry = createQuarry(spawnId, roots)
  if (options.graceMs > 0) {
    for (const one of await findOwnProcesses(quarry)) signal(one, 'SIGTERM')
    // The whole table is read only once the signalled processes are gone.
    await waitUntil(async () => !isAnyRunning(quarry) && (await findOwnProcesses(quarry)).length === 0, options.graceMs)
  }
  await options.afterGrace?.()
  const left = await killUntilEmpty(quarry)
  const { workspacePath } = options
  return { left, unproven: workspacePath === undefined ? [] : await findUnproven(quarry, workspacePath) }
}

/** Signals exactly that process; one that has ended, an unrelated one with its pid, or another user's is left alone. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (processState(identity) === 'dead') return
  try {
    process.kill(identity.pid, name)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    // Without permission to signal it, it stays and is reported as a survivor.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

const KILL_DEADLINE_MS = 5_000

async function killUntilEmpty(quarry: Quarry): Promise<ProcessIdentity[]> {
  const deadline = performance.now() + KILL_DEADLINE_MS
  let emptyInARow = 0
  for (;;) {
    // A table that many stops share says whether there is anything; only what is there is worth readings of its own.
    const left = (await findOwnProcesses(quarry)).length === 0 ? [] : freeze(() => findOwnProcessesNow(quarry))
    // Children first: the end of a shell makes the kernel wake its stopped jobs, which could fork before their turn comes.
    for (const one of left.toReversed()) signal(one, 'SIGKILL')
    emptyInARow = left.length === 0 ? emptyInARow + 1 : 0
    // Twice: a process that forked or ran exec during the first scan is found by the second.
    if (emptyInARow === 2) return []
    if (performance.now() > deadline && left.length > 0) return left
    await sleep(20)
  }
}

/** How long a stop may take to reach a process: one that waits for a disk, or for the child it shares memory with, comes later. */
const HALT_MS = 200

/**
 * Stops what `find` finds, until a scan begun after all of it had stopped finds nothing new. A stopped process cannot fork, but a
 * signal that was sent is not a process that has stopped: one in the middle of a fork finishes it first, and its child would be
 * orphaned, and so lost, by the kill.
 */
export function freeze(find: () => ProcessIdentity[]): ProcessIdentity[] {
  const signalled = new Map<string, ProcessIdentity>()
  for (;;) {
    untilHalted([...signalled.values()])
    const found = find()
    const fresh = found.filter((one) => !signalled.has(formatIdentity(one)))
    if (fresh.length === 0) return found
    for (const one of fresh) {
      signal(one, 'SIGSTOP')
      signalled.set(formatIdentity(one), one)
    }
  }
}

const TICK = new Int32Array(new SharedArrayBuffer(4))

/** Blocks, so that nothing else runs in between; they need the processor to stop. */
function untilHalted(processes: readonly ProcessIdentity[]): void {
  const deadline = performance.now() + HALT_MS
  let left = processes.filter(({ pid }) => !hasHalted(pid))
  while (left.length > 0 && performance.now() < deadline) {
    Atomics.wait(TICK, 0, 0, 1)
    left = left.filter(({ pid }) => !hasHalted(pid))
  }
}

async function waitUntil(condition: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition()) && performance.now() < deadline) await sleep(25)
}

/** `name`: of the session. */
export function notStopped(name: string, survivors: readonly ProcessIdentity[]): AoError {
  const pids = survivors.map((one) => one.pid)
  return new AoError('RUNTIME_FAILED', `Processes of ${shownName(name)} could not be ended: ${pids.join(', ')}`, {
    hint: `See what they are with: ps -fp ${pids.join(',')}`,
    details: { name, survivors: pids },
  })
}
