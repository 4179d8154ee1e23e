// What was already done about each reaction of a session, in its state directory. Written before acting.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReactionMemory } from '../contract/reactions.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'

const FILE = 'reactions.json'

export function readReactionMemory(stateDir: string): ReactionMemory {
  let text: string
  try {
    text = readFileSync(join(stateDir, FILE), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  const parsed: unknown = JSON.parse(text)
  return typeof parsed === 'object' && parsed !== null ? (parsed as ReactionMemory) : {}
}

/** Unchanged memory costs no write. */
export function writeReactionMemory(stateDir: string, before: ReactionMemory, after: ReactionMemory): void {
  const text = JSON.stringify(after)
  if (text === JSON.stringify(before)) return
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(stateDir, FILE), text)
}
