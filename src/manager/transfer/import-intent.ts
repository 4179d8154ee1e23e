// What an import is about to create, written down before. An import that was interrupted is undone by the next one: refs only
// where they still are what it made of them, files only while no record of the session exists.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isSafeName } from '../../contract/ids.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { currentProcess, formatIdentity, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import type { SessionStore } from '../../store/session/session-store.ts'

export interface ImportIntent {
  sessionId: string
  /** The process that imports. */
  owner: string
  /** Refs that do not exist yet. */
  refs: Array<{ ref: string; commit: string }>
}

function importsDirectory(store: SessionStore): string {
  return join(store.paths.dir, 'imports')
}

export function bundleFile(store: SessionStore, sessionId: string): string {
  return join(importsDirectory(store), `${sessionId}.bundle`)
}

function intentFile(store: SessionStore, sessionId: string): string {
  return join(importsDirectory(store), `${sessionId}.json`)
}

/** null: another import has this id. */
export function announceImport(
  store: SessionStore,
  sessionId: string,
  refs: ImportIntent['refs'],
): ImportIntent | null {
  mkdirSync(importsDirectory(store), { recursive: true, mode: 0o700 })
  const intent = { sessionId, owner: formatIdentity(currentProcess()), refs }
  return createFileExclusive(intentFile(store, sessionId), JSON.stringify(intent)) ? intent : null
}

export function finishImport(store: SessionStore, { sessionId }: ImportIntent): void {
  rmSync(bundleFile(store, sessionId), { force: true })
  rmSync(intentFile(store, sessionId), { force: true })
}

export async function undoImport(store: SessionStore, repository: Repository, intent: ImportIntent): Promise<void> {
  const { sessionId, refs } = intent
  // The record comes last: with it, everything is there.
  const isThere = store.readArchived(sessionId) !== null || store.read(sessionId) !== null
  if (!isThere) {
    for (const { ref, commit } of refs) await tryGitOn(repository, ['update-ref', '-d', ref, commit])
    rmSync(store.paths.stateDir(sessionId), { recursive: true, force: true })
    rmSync(store.paths.historyFile(sessionId), { force: true })
  }
  finishImport(store, intent)
}

/** Undoes those whose process is gone. */
export async function settleImports(store: SessionStore, repository: Repository): Promise<void> {
  const directory = importsDirectory(store)
  if (!existsSync(directory)) return
  for (const name of readdirSync(directory)) {
    const intent = name.endsWith('.json') && !name.startsWith('.') ? readIntent(store, name.slice(0, -5)) : null
    if (intent && isAbandoned(intent)) await undoImport(store, repository, intent)
  }
}

const OUR_REF = /^refs\/(?:heads|ao\/(?:rescue|settled))\//

function readIntent(store: SessionStore, sessionId: string): ImportIntent | null {
  if (!isSafeName(sessionId)) return null
  try {
    const intent = JSON.parse(readIfThere(intentFile(store, sessionId), { noFollow: true }) ?? 'null') as ImportIntent
    const isOurs = intent.sessionId === sessionId && intent.refs.every(({ ref }) => OUR_REF.test(ref))
    return isOurs ? intent : null
  } catch {
    // Not written by us: it is left alone.
    return null
  }
}

function isAbandoned({ owner }: ImportIntent): boolean {
  const identity = parseIdentity(owner)
  return identity === null || processState(identity) === 'dead'
}
