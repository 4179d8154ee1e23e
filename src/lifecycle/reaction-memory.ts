// What was already done about each reaction of a session, in its state directory. Written before acting.
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { ReactionMemory } from '../contract/reactions.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/read-if-there.ts'

export const MEMORY_FILE = 'reactions.json'

export function readReactionMemory(stateDir: string): ReactionMemory {
  const file = join(stateDir, MEMORY_FILE)
  const text = readIfThere(file)
  if (text === null) return {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed as ReactionMemory
  } catch {
    // Our own writes are whole; somebody else was here. The file is kept, and counting starts anew.
  }
  renameSync(file, `${file}.damaged`)
  return {}
}

/** Unchanged memory costs no write. */
export function writeReactionMemory(stateDir: string, before: ReactionMemory, after: ReactionMemory): void {
  const text = JSON.stringify(after)
  if (text === JSON.stringify(before)) return
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(stateDir, MEMORY_FILE), text)
}

/** Something was decided and not carried out yet. */
export function hasUnfinished(memory: ReactionMemory): boolean {
  return Object.values(memory).some((record) => record?.state === 'intended' || record?.state === 'failed')
}
