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
import { formatIdentity, type ProcessIdentity, processState } from './process-identity.ts'
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
    const left = (await findOwnProcesses(quarry)).length === 0 ? [] : freeze(quarry)
    for (const one of left) signal(one, 'SIGKILL')
    emptyInARow = left.length === 0 ? emptyInARow + 1 : 0
    // Twice: a process that forked or ran exec during the first scan is found by the second.
    if (emptyInARow === 2) return []
    if (performance.now() > deadline && left.length > 0) return left
    await sleep(20)
  }
}

/**
 * A stopped process cannot fork. Once a scan finds nothing new the family is complete: no child that cleared its
 * environment is orphaned, and so lost, between the scan and the kill.
 */
function freeze(quarry: Quarry): ProcessIdentity[] {
  const frozen = new Set<string>()
  for (;;) {
    const found = findOwnProcessesNow(quarry)
    const fresh = found.filter((one) => !frozen.has(formatIdentity(one)))
    if (fresh.length === 0) return found
    for (const one of fresh) {
      signal(one, 'SIGSTOP')
      frozen.add(formatIdentity(one))
    }
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
