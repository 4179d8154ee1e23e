// Pairs of branches that are red together, as the loop last found them: `radar/red.json`. Can be lost; it is found out again.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type RadarPicture, type RedPair, redPair } from '../../contract/dashboard/radar.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'

const list = z.array(redPair)
const fileOf = (projectDir: string) => join(projectDir, 'radar', 'red.json')

export function readRedPairs(projectDir: string): RedPair[] {
  try {
    return list.parse(JSON.parse(readIfThere(fileOf(projectDir)) ?? '[]'))
  } catch {
    // The next find replaces it.
    return []
  }
}

/** true: something is different now. */
export function writeRedPairs(projectDir: string, red: readonly RedPair[]): boolean {
  const file = fileOf(projectDir)
  const text = `${JSON.stringify(red)}\n`
  if (red.length === 0 && !existsSync(file)) return false
  if (readIfThere(file) === text) return false
  writeFileAtomic(file, text, { durable: false })
  return true
}

const pictures = new WeakMap<RadarPicture, RadarPicture>()

/** The same object while neither has changed. A pair counts as long as both branches are where they were. */
export function withRedPairs(picture: RadarPicture, projectDir: string): RadarPicture {
  const branches = new Map(picture.branches.map((branch) => [branch.id, branch]))
  const isThere = (id: string, head: string) => {
    const branch = branches.get(id)
    return branch !== undefined && (branch.head === head || branch.uncommitted > 0)
  }
  const red = readRedPairs(projectDir).filter(({ a, b, heads }) => isThere(a, heads[0]) && isThere(b, heads[1]))
  if (red.length === 0) return picture
  const before = pictures.get(picture)
  if (before && JSON.stringify(before.red) === JSON.stringify(red)) return before
  const marked = { ...picture, red }
  pictures.set(picture, marked)
  return marked
}
