// Stop means that the set is empty: a process group, its descendants, and children that escaped but carry our marker.
import { readdirSync, readFileSync } from 'node:fs'
import { identify, type ProcessIdentity, processState } from './process-identity.ts'

export const SPAWN_MARKER = 'AO_SPAWN_ID'

/** Every live process with `AO_SPAWN_ID={spawnId}` in its environment. Linux only: elsewhere the list is empty. */
export function findBySpawnMarker(spawnId: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return []
  const needle = Buffer.from(`${SPAWN_MARKER}=${spawnId}\0`)
  const found: ProcessIdentity[] = []
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    if (!environmentHolds(pid, needle)) continue
    const identity = identify(pid)
    if (identity) found.push(identity)
  }
  return found
}

function environmentHolds(pid: number, needle: Buffer): boolean {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`)
    if (environ.subarray(0, needle.length).equals(needle)) return true
    return environ.includes(Buffer.concat([Buffer.from([0]), needle]))
  } catch {
    // Gone meanwhile, or another user's: either way it is not ours to stop.
    return false
  }
}

export interface StopOptions {
  /** How long the cooperative signal may take; 0 sends SIGKILL at once. */
  graceMs: number
}

/** Ends every process with the marker, plus `also`. Resolves with what is still there (empty when it worked). */
export async function stopProcesses(
  spawnId: string,
  also: ProcessIdentity[],
  options: StopOptions,
): Promise<ProcessIdentity[]> {
  const remaining = () => dedupe([...findBySpawnMarker(spawnId), ...also.filter(isStillThere)])
  if (options.graceMs > 0) {
    for (const one of remaining()) signal(one, 'SIGTERM')
    await waitUntil(() => remaining().length === 0, options.graceMs)
  }
  const deadline = performance.now() + 5_000
  let left = remaining()
  while (left.length > 0 && performance.now() < deadline) {
    for (const one of left) signal(one, 'SIGKILL')
    await sleep(20)
    left = remaining()
  }
  return left
}

/** Signals that very process; one that ended, or a stranger with its pid, is left alone. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isStillThere(identity)) return
  try {
    process.kill(identity.pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function isStillThere(identity: ProcessIdentity): boolean {
  return processState(identity) !== 'dead'
}

function dedupe(identities: ProcessIdentity[]): ProcessIdentity[] {
  return [...new Map(identities.map((one) => [one.pid, one])).values()]
}

async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!condition() && performance.now() < deadline) await sleep(25)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
