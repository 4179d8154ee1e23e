// What was already done about each reaction of a session, in its state directory. Written before acting.
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { ReactionMemory } from '../../contract/reactions.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/read-if-there.ts'
import type { AoPaths } from '../../store/paths.ts'

export const MEMORY_FILE = 'reactions.json'

/** Where a loop keeps what it did; files, unless a test wants it elsewhere. */
export interface ReactionStore {
  read(projectId: string, sessionId: string): ReactionMemory
  /** `before`: what is stored now, so that unchanged memory costs no write. */
  write(projectId: string, sessionId: string, memory: { before: ReactionMemory; after: ReactionMemory }): void
}

export function createReactionStore(paths: AoPaths): ReactionStore {
  const place = (projectId: string, sessionId: string) => paths.project(projectId).stateDir(sessionId)
  return {
    read: (projectId, sessionId) => readReactionMemory(place(projectId, sessionId)),
    write: (projectId, sessionId, { before, after }) => writeReactionMemory(place(projectId, sessionId), before, after),
  }
}

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

function writeReactionMemory(stateDir: string, before: ReactionMemory, after: ReactionMemory): void {
  const text = JSON.stringify(after)
  if (text === JSON.stringify(before)) return
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(stateDir, MEMORY_FILE), text)
}

/** Something was decided and not carried out yet. */
export function hasUnfinished(memory: ReactionMemory): boolean {
  return Object.values(memory).some((record) => record?.state === 'intended' || record?.state === 'failed')
}
