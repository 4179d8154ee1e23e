// Which processes belong to one start of an agent. Each needs a proof: the start's marker in its environment, a proven
// parent, or a session whose leader is proven. Its directory, its age or what it lacks proves nothing.
import { formatIdentity, type ProcessIdentity, processState } from './process-identity.ts'
import { type ProcessRow, readProcessRow, readProcessTable, readSharedTable } from './process-table.ts'

export const SPAWN_MARKER = 'AO_SPAWN_ID'

/** The targets of a stop. A process that was proven to be ours once stays so, so that a tree is not lost with its root. */
export interface Quarry {
  readonly spawnId: string
  readonly found: Map<string, ProcessIdentity>
}

/** Among `roots`, a process that carries the marker of another start is left out: it was named by mistake. */
export function createQuarry(spawnId: string, roots: readonly ProcessIdentity[]): Quarry {
  const quarry: Quarry = { spawnId, found: new Map() }
  for (const root of roots) {
    const row = readProcessRow(root.pid)
    const isThatOne = row !== null && formatIdentity(row.identity) === formatIdentity(root)
    if (!isThatOne || !isOfAnotherStart(row, spawnId)) remember(quarry, root)
  }
  return quarry
}

/** Every live target process, as far as that can be proven now. */
export async function findOwnProcesses(quarry: Quarry): Promise<ProcessIdentity[]> {
  return findAmong(await readSharedTable(), quarry)
}

/** The same by a reading of its own: nothing else runs between it and what the caller does next. */
export function findOwnProcessesNow(quarry: Quarry): ProcessIdentity[] {
  return findAmong(readProcessTable(), quarry)
}

/** The same in a table that several of them share. */
export function findAmong(table: ProcessRow[], quarry: Quarry): ProcessIdentity[] {
  const members = new Map<number, ProcessRow>()
  for (const row of table) {
    if (quarry.found.has(formatIdentity(row.identity)) || markerOf(row) === quarry.spawnId) {
      members.set(row.identity.pid, row)
    }
  }
  addRelatives(table, members)
  for (const { identity } of members.values()) remember(quarry, identity)
  return [...members.values()].map((row) => row.identity)
}

export function isAnyRunning(quarry: Quarry): boolean {
  return [...quarry.found.values()].some((one) => processState(one) !== 'dead')
}

/** null: none, or it was cleared. */
export function markerOf(row: ProcessRow): string | null {
  return row.environment.value(SPAWN_MARKER) || null
}

function isOfAnotherStart(row: ProcessRow, spawnId: string): boolean {
  const marker = markerOf(row)
  return marker !== null && marker !== spawnId
}

function remember(quarry: Quarry, identity: ProcessIdentity): void {
  quarry.found.set(formatIdentity(identity), identity)
}

/** Children of members, and everything in a session led by a member, until nothing new is found. */
function addRelatives(table: ProcessRow[], members: Map<number, ProcessRow>): void {
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const row of table) {
      if (members.has(row.parent) || members.has(row.session)) members.set(row.identity.pid, row)
    }
  }
}
