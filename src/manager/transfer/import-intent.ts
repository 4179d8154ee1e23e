// What an import is about to create, written down before. An import that was interrupted is undone by the next one, by cleanup or
// by `ao doctor --fix`: refs only if it made them and they are unchanged, files only while no record of the session exists.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { type Repository, resolveRef, tryGitOn } from '../../git/repository.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { withLock } from '../../lib/lock.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'
import { currentProcess, formatIdentity, mayBeAlive } from '../../lib/process/process-identity.ts'
import { removeFile, removeTree } from '../../lib/remove.ts'
import type { Leftover } from '../../slots/workspace.ts'
import type { SessionStore } from '../../store/session/session-store.ts'

export interface ImportIntent {
  sessionId: string
  /** The process that imports. */
  owner: string
  /** Refs that do not exist yet. */
  refs: Array<{ ref: string; commit: string }>
  /** A ref that is created in the same step: while it exists, the others are ours. Imports of earlier versions have none. */
  mark?: string
}

/** Two at once could choose the same branch, and each would undo the work of the other. */
export async function onlyImport<T>(repository: Repository, work: () => Promise<T>): Promise<T> {
  const path = join(repository.commonDir, 'ao-import.lock')
  try {
    return await withLock(path, work, { timeoutMs: 0 })
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'LOCK_TIMEOUT' || error.details.path !== path) throw error
    const pid = Number(String(error.details.owner).split(':')[0])
    throw new AoError('SESSION_BUSY', `Process ${pid} is importing into the same repository`, {
      hint: 'Import it again when that has ended',
      details: { pid },
      cause: error,
    })
  }
}

export function bundleFile(store: SessionStore, sessionId: string): string {
  return join(store.paths.imports, `${sessionId}.bundle`)
}

function intentFile(store: SessionStore, sessionId: string): string {
  return join(store.paths.imports, `${sessionId}.json`)
}

/** null: another import has this id. */
export function announceImport(
  store: SessionStore,
  sessionId: string,
  refs: ImportIntent['refs'],
): ImportIntent | null {
  mkdirSync(store.paths.imports, { recursive: true, mode: 0o700 })
  const mark = `refs/ao/import/${randomUUID()}`
  const intent = { sessionId, owner: formatIdentity(currentProcess()), refs, mark }
  return createFileExclusive(intentFile(store, sessionId), JSON.stringify(intent)) ? intent : null
}

/** All of them in one step, and the mark first. */
export function creationOf({ refs, mark }: ImportIntent): string {
  const [first] = refs
  if (!first) return ''
  const all = [...(mark ? [{ ref: mark, commit: first.commit }] : []), ...refs]
  return all.map(({ ref, commit }) => `create ${ref} ${commit}\n`).join('')
}

/** The intent stays as long as its mark cannot be removed. */
export async function finishImport(store: SessionStore, repository: Repository, intent: ImportIntent): Promise<void> {
  const { sessionId, refs, mark } = intent
  removeFile(bundleFile(store, sessionId))
  const isUnmarked = mark === undefined || refs.length === 0
  if (isUnmarked || (await tryGitOn(repository, ['update-ref', '-d', mark])).ok) {
    removeFile(intentFile(store, sessionId))
  }
}

export async function undoImport(store: SessionStore, repository: Repository, intent: ImportIntent): Promise<void> {
  const { sessionId, refs, mark } = intent
  if (!isComplete(store, sessionId)) {
    const areOurs = mark === undefined || (await resolveRef(repository, mark)) !== null
    for (const { ref, commit } of areOurs ? refs : []) await tryGitOn(repository, ['update-ref', '-d', ref, commit])
    removeTree(store.paths.stateDir(sessionId))
    removeFile(store.paths.historyFile(sessionId))
  }
  await finishImport(store, repository, intent)
}

/** The record comes last: with it, everything is there. */
function isComplete(store: SessionStore, sessionId: string): boolean {
  return store.readArchived(sessionId) !== null || store.read(sessionId) !== null
}

/** Undoes those whose process is gone. The caller has the lock of imports. */
export async function settleImports(store: SessionStore, repository: Repository): Promise<void> {
  for (const intent of abandonedImports(store)) await undoImport(store, repository, intent)
}

/** The same, for `ao doctor` and cleanup. */
export function interruptedImports(store: SessionStore, openRepository: () => Repository): Leftover[] {
  return abandonedImports(store).map(({ sessionId }) => ({
    path: intentFile(store, sessionId),
    what: isComplete(store, sessionId)
      ? `note of the import of ${sessionId}, which is complete`
      : `the import of ${sessionId} was interrupted; import it again afterwards`,
    async remove() {
      const repository = openRepository()
      await onlyImport(repository, () => settleImports(store, repository))
    },
  }))
}

function abandonedImports(store: SessionStore): ImportIntent[] {
  return namesIn(store.paths.imports).flatMap((name) => {
    const intent = name.endsWith('.json') && !name.startsWith('.') ? readIntent(store, name.slice(0, -5)) : null
    return intent && !mayBeAlive(intent.owner) ? [intent] : []
  })
}

const OUR_REF = /^refs\/(?:heads|ao\/(?:rescue|settled))\//
const OUR_MARK = /^refs\/ao\/import\/[\da-f-]{36}$/

function readIntent(store: SessionStore, sessionId: string): ImportIntent | null {
  if (!isSafeName(sessionId)) return null
  try {
    const intent = JSON.parse(readIfThere(intentFile(store, sessionId), { noFollow: true }) ?? 'null') as ImportIntent
    const { refs, mark } = intent
    const areOurs = refs.every(({ ref }) => OUR_REF.test(ref)) && (mark === undefined || OUR_MARK.test(mark))
    return intent.sessionId === sessionId && areOurs ? intent : null
  } catch {
    // Not written by us: it is left alone.
    return null
  }
}
