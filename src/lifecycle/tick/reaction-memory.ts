// What was already done about each reaction of a session, in its state directory. Written before acting.

import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { ReactionMemory } from '../../contract/reactions.ts'
import { requireOwnVersion, writeFileAtomic } from '../../lib/atomic-write.ts'
import { isThere, readIfThere } from '../../lib/plain-file.ts'
import type { ManagerContext } from '../../manager/context.ts'

export const MEMORY_FILE = 'reactions.json'

/** Where a loop keeps what it did: files, except in tests. */
export interface ReactionStore {
  read(projectId: string, sessionId: string): ReactionMemory
  /** `before`: what is stored now, so that unchanged memory costs no write. */
  write(projectId: string, sessionId: string, memory: { before: ReactionMemory; after: ReactionMemory }): void
}

export function createReactionStore({ store }: Pick<ManagerContext, 'store'>): ReactionStore {
  const directory = (projectId: string, sessionId: string) => store(projectId).paths.stateDir(sessionId)
  return {
    read: (projectId, sessionId) => readReactionMemory(directory(projectId, sessionId)),
    write: (projectId, sessionId, { before, after }) =>
      writeReactionMemory(directory(projectId, sessionId), before, after),
  }
}

export function readReactionMemory(stateDir: string): ReactionMemory {
  const file = join(stateDir, MEMORY_FILE)
  try {
    const text = isThere(file) ? readIfThere(file) : null
    if (text === null) return {}
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed as ReactionMemory
  } catch (error) {
    // Our own writes are atomic plain files, so something else wrote this. It is kept, and counting starts anew.
    if (!(error instanceof SyntaxError || error instanceof AoError)) throw error
  }
  requireOwnVersion(file)
  renameSync(file, `${file}.damaged`)
  return {}
}

function writeReactionMemory(stateDir: string, before: ReactionMemory, after: ReactionMemory): void {
  const text = JSON.stringify(after)
  if (text === JSON.stringify(before)) return
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(join(stateDir, MEMORY_FILE), text)
}

/** Something was decided but not carried out yet, or waits for its threshold. */
export function hasUnfinished(memory: ReactionMemory): boolean {
  return Object.values(memory).some(
    (record) => record?.state === 'intended' || record?.state === 'failed' || record?.waitingSince !== undefined,
  )
}
