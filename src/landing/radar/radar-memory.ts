// What a radar is asked for, and what it remembers from one picture to the next.
import type { LineRange, Meeting, RadarPicture } from '../../contract/dashboard/radar.ts'
import type { ResolveEntry } from '../../core/landing/resolve/rules.ts'
import type { TouchedFile } from '../../core/radar/find-candidates.ts'
import type { LiveBranch } from '../../core/radar/live-branches.ts'
import type { Repository } from '../../git/repository.ts'
import { type CommitPair, createPairMemory, type PairMemory } from './merge-pairs.ts'
import type { ReadyMemory } from './merge-ready.ts'
import { createObjectDirectory, type ObjectDirectory } from './object-directory.ts'
import type { Fork } from './read-forks.ts'
import type { Snapshot } from './snapshot.ts'

export interface RadarRequest {
  branches: readonly LiveBranch[]
  /** Stop trying merges after this long; the next picture continues. */
  budgetMs?: number | undefined
}

export interface RadarOptions {
  projectId: string
  projectDir: string
  baseBranch: string
  /** Full names; the first one that exists is the base. */
  baseRefs: readonly string[]
  repository(): Repository
  /** By which the train solves conflicts; none without. */
  rules?: readonly ResolveEntry[] | undefined
}

export interface Seen {
  branch: LiveBranch
  head: string
  snapshot: Snapshot
}

export interface Memory {
  objects: ObjectDirectory
  pairs: PairMemory
  ready: ReadyMemory
  version: Promise<{ ok: boolean; version: string }> | null
  snapshots: Map<string, { head: string; activeAt: number; snapshot: Snapshot }>
  /** How many were taken: their objects stay until the memory is dropped. */
  taken: number
  /** By head and base. */
  forks: Map<string, Fork>
  /** By head and where it left the base. */
  touched: Map<string, Map<string, TouchedFile> | null>
  lines: Map<string, Map<string, LineRange[]>>
  last: { key: string; picture: RadarPicture } | null
  /** The merges of the last picture. */
  lastPairs: CommitPair[]
  /** What two branches amount to, by their commits. */
  meetings: Map<string, Meeting | null>
}

export function createMemory({ projectDir, rules = [] }: RadarOptions): Memory {
  return {
    objects: createObjectDirectory(projectDir),
    pairs: createPairMemory(rules),
    ready: new Map(),
    version: null,
    snapshots: new Map(),
    taken: 0,
    forks: new Map(),
    touched: new Map(),
    lines: new Map(),
    last: null,
    lastPairs: [],
    meetings: new Map(),
  }
}

/** Facts about commits that are on no branch are dropped. */
export function forgetOthers(memory: Memory, seen: readonly Seen[], base: string | null): void {
  const commits = new Set([...seen.flatMap(({ head, snapshot }) => [head, snapshot.commit]), ...(base ? [base] : [])])
  memory.pairs.keep(commits)
  for (const cache of [memory.forks, memory.touched, memory.lines])
    for (const key of cache.keys()) if (!commits.has(key.slice(0, key.indexOf(' ')))) cache.delete(key)
  const ids = new Set(seen.map(({ branch }) => branch.id))
  for (const id of memory.snapshots.keys()) if (!ids.has(id)) memory.snapshots.delete(id)
}
