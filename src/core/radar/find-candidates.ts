// Which pairs of branches may conflict: only for these a merge is tried. Two branches whose changes share no file and no
// directory that one of them moved away from always merge cleanly. Pure.
import type { FileChange } from '../../contract/dashboard/radar.ts'

/** Changed files of a branch by path. */
export type TouchedFiles = ReadonlyMap<string, TouchedFile>

export interface TouchedFile {
  change: FileChange
  /** The blob it started from: lines of two branches can be compared when they started from the same one. */
  from: string
}

export interface Candidate {
  a: string
  b: string
  /** Files that both change, sorted. Empty: only a directory of one is in the way of the other. */
  shared: string[]
}

/** Sorted by their ids; `a` is the branch that comes first in `branches`. */
export function findCandidates(branches: ReadonlyArray<{ id: string; files: TouchedFiles }>): Candidate[] {
  const order = new Map(branches.map(({ id }, index) => [id, index]))
  const found = new Map<string, Candidate>()
  const meet = (one: string, other: string, path: string | null) => {
    if (one === other) return
    const [a, b] = order.get(one)! < order.get(other)! ? [one, other] : [other, one]
    const key = `${a}\0${b}`
    const candidate = found.get(key) ?? { a, b, shared: [] }
    if (path !== null) candidate.shared.push(path)
    found.set(key, candidate)
  }
  const byPath = indexPaths(branches)
  for (const [path, ids] of byPath) {
    for (const [index, one] of ids.entries()) for (const other of ids.slice(index + 1)) meet(one, other, path)
  }
  meetInDirectories(branches, byPath, (one, other) => meet(one, other, null))
  for (const candidate of found.values()) candidate.shared.sort()
  return [...found.values()].sort((x, y) => order.get(x.a)! - order.get(y.a)! || order.get(x.b)! - order.get(y.b)!)
}

type Branches = Parameters<typeof findCandidates>[0]

function indexPaths(branches: Branches): Map<string, string[]> {
  const byPath = new Map<string, string[]>()
  for (const { id, files } of branches) {
    for (const path of files.keys()) {
      const ids = byPath.get(path)
      if (ids) ids.push(id)
      else byPath.set(path, [id])
    }
  }
  return byPath
}

/**
 * A file where the other has a directory; a file added to a directory that the other moved or emptied, which git may want
 * to move along.
 */
function meetInDirectories(
  branches: Branches,
  byPath: ReadonlyMap<string, string[]>,
  meet: (one: string, other: string) => void,
): void {
  const left = new Map<string, Set<string>>()
  for (const { id, files } of branches) {
    for (const [path, { change }] of files) {
      if (change !== 'deleted') continue
      for (const directory of directoriesOf(path)) left.set(directory, (left.get(directory) ?? new Set()).add(id))
    }
  }
  for (const { id, files } of branches) {
    for (const [path, { change }] of files) {
      if (change !== 'added') continue
      for (const directory of directoriesOf(path)) {
        for (const other of left.get(directory) ?? []) meet(id, other)
        for (const other of byPath.get(directory) ?? []) meet(id, other)
      }
    }
  }
}

function directoriesOf(path: string): string[] {
  const directories: string[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) directories.push(path.slice(0, at))
  return directories
}
