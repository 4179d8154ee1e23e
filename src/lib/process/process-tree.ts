// Stop means that the set is empty: a process, its session, its descendants, and children that escaped but carry our marker.
import { realpathSync } from 'node:fs'
import { formatIdentity, type ProcessIdentity, processState } from './process-identity.ts'
import { type ProcessRow, readProcessTable } from './process-table.ts'

export const SPAWN_MARKER = 'AO_SPAWN_ID'

/** Every live process with `AO_SPAWN_ID={spawnId}` in its environment. Linux only: elsewhere the list is empty. */
export function findBySpawnMarker(spawnId: string): ProcessIdentity[] {
  return readProcessTable()
    .filter((row) => row.environment.has(SPAWN_MARKER, spawnId))
    .map((row) => row.identity)
}

export interface StopOptions {
  /** How long the cooperative signal may take; 0 sends SIGKILL at once. */
  graceMs: number
  /** Also processes that threw their environment away, if they live in this directory and began after the others. */
  workspacePath?: string
  /** Runs between the cooperative signal and SIGKILL: the place to close a terminal. */
  afterGrace?: () => Promise<void>
}

/** Ends every process with the marker, plus `also` with their sessions and descendants.
 *  Resolves with what is still there (empty when it worked). */
export async function stopProcesses(
  spawnId: string,
  also: ProcessIdentity[],
  options: StopOptions,
): Promise<ProcessIdentity[]> {
  const quarry: Quarry = { spawnId, known: new Map(), workspacePath: realPath(options.workspacePath) }
  for (const one of also) remember(quarry, one)
  if (options.graceMs > 0) {
    for (const one of search(quarry)) signal(one, 'SIGTERM')
    // The whole table is read only when those that got the signal are gone.
    await waitUntil(() => !anyKnownLives(quarry) && search(quarry).length === 0, options.graceMs)
  }
  await options.afterGrace?.()
  return killUntilEmpty(quarry)
}

/** Signals that very process; one that ended, a stranger with its pid, or another user's is left alone. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (processState(identity) === 'dead') return
  try {
    process.kill(identity.pid, name)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    // Without the right to signal it, it stays and is reported as a survivor.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

const KILL_DEADLINE_MS = 5_000

async function killUntilEmpty(quarry: Quarry): Promise<ProcessIdentity[]> {
  const deadline = performance.now() + KILL_DEADLINE_MS
  let emptyInARow = 0
  for (;;) {
    const left = search(quarry)
    for (const one of left) signal(one, 'SIGKILL')
    emptyInARow = left.length === 0 ? emptyInARow + 1 : 0
    // Twice: a process that forked or ran exec during the first look is seen by the second.
    if (emptyInARow === 2) return []
    if (performance.now() > deadline && left.length > 0) return left
    await sleep(20)
  }
}

/** What a stop is after. What was found once stays known, so that a tree is not lost with its root. */
interface Quarry {
  spawnId: string
  known: Map<string, ProcessIdentity>
  workspacePath: string | undefined
}

function remember(quarry: Quarry, identity: ProcessIdentity): void {
  quarry.known.set(formatIdentity(identity), identity)
}

function anyKnownLives(quarry: Quarry): boolean {
  return [...quarry.known.values()].some((one) => processState(one) !== 'dead')
}

function search(quarry: Quarry): ProcessIdentity[] {
  const table = readProcessTable()
  const members = new Map<number, ProcessRow>()
  for (const row of table) {
    if (quarry.known.has(formatIdentity(row.identity)) || row.environment.has(SPAWN_MARKER, quarry.spawnId)) {
      members.set(row.identity.pid, row)
    }
  }
  addRelatives(table, members)
  addScrubbed(table, members, quarry)
  for (const { identity } of members.values()) remember(quarry, identity)
  return [...members.values()].map((row) => row.identity)
}

/** Children of members, and everything in a session that a member leads, until nothing is new. */
function addRelatives(table: ProcessRow[], members: Map<number, ProcessRow>): void {
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const row of table) {
      if (members.has(row.parent) || members.has(row.session)) members.set(row.identity.pid, row)
    }
  }
}

/** A child may have cleared its environment and left its family (`env -i setsid …`). Where it works gives it away. */
function addScrubbed(table: ProcessRow[], members: Map<number, ProcessRow>, quarry: Quarry): void {
  const { workspacePath } = quarry
  if (workspacePath === undefined) return
  const ofThisBoot = [...quarry.known.values()].filter((one) => one.boot === table[0]?.identity.boot)
  const began = Math.min(...ofThisBoot.map((one) => Number(one.start)))
  for (const row of table) {
    if (members.has(row.identity.pid) || row.hasTerminal || Number(row.identity.start) < began) continue
    // Whatever a user starts has a HOME: only a cleared environment is suspicious enough.
    if (row.environment.isReadable() && !row.environment.has('HOME') && row.worksIn(workspacePath)) {
      members.set(row.identity.pid, row)
    }
  }
}

function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path)
  } catch {
    // Where no directory is, nothing can work in it.
    return undefined
  }
}

async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!condition() && performance.now() < deadline) await sleep(25)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
