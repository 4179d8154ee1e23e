// Stops agents where they are, with everything that they have started, and lets them go on: SIGSTOP and SIGCONT for the families
// of many starts at once. A stopped process keeps its memory, its files and its terminal.
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../clock.ts'
import { createQuarry, findAmong } from './own-processes.ts'
import { formatIdentity, type ProcessIdentity } from './process-identity.ts'
import { readProcessTable } from './process-table.ts'
import { freeze, signal } from './process-tree.ts'

/** By spawn id; without processes: it has ended, or runs elsewhere. */
export type Families = Map<string, ProcessIdentity[]>

export function stopFamilies(spawnIds: readonly string[]): Families {
  let families: Families = new Map()
  freeze(() => {
    families = findFamilies(spawnIds)
    return [...families.values()].flat()
  })
  return families
}

export function continueFamilies(spawnIds: readonly string[]): Families {
  const families = findFamilies(spawnIds)
  // Children first: a shell that goes on before its job would find it stopped, and say so.
  for (const family of families.values()) for (const one of family.toReversed()) signal(one, 'SIGCONT')
  return families
}

function findFamilies(spawnIds: readonly string[]): Families {
  const table = spawnIds.length === 0 ? [] : readProcessTable()
  return new Map(spawnIds.map((spawnId) => [spawnId, findAmong(table, createQuarry(spawnId, []))]))
}

const LOCK_MS = 500

/** A command of ours that an agent ran may hold a lock that others wait for: it gets a moment to put it down. */
export async function freeLocks(directories: readonly string[], families: Families): Promise<void> {
  const stopped = new Map([...families.values()].flat().map((one) => [formatIdentity(one), one]))
  const held = directories.flatMap((directory) => (existsSync(directory) ? locksIn(directory) : []))
  for (const { path, owner } of held) {
    const holder = stopped.get(owner)
    if (!holder) continue
    signal(holder, 'SIGCONT')
    const deadline = performance.now() + LOCK_MS
    while (ownerOf(path) === owner && performance.now() < deadline) await sleep(10)
    signal(holder, 'SIGSTOP')
  }
}

function locksIn(directory: string): Array<{ path: string; owner: string }> {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name)
    const owner = ownerOf(path)
    return owner === null ? [] : [{ path, owner }]
  })
}

function ownerOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    // Gone meanwhile, or not a lock.
    return null
  }
}
