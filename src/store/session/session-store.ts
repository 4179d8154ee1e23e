// The sessions of one project on disk: records, archive and history. The one writer of all three. Everything a caller needs
// is here; each operation has its own file next to this one.
import { existsSync, mkdirSync } from 'node:fs'
import { AoError } from '../../contract/errors.ts'
import type { OtherEvent, SessionEvent } from '../../contract/events.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { createFileMemory } from '../../lib/file-memory.ts'
import type { LockOptions } from '../../lib/lock.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { AoPaths, ProjectPaths } from '../paths.ts'
import type { StoreContext } from '../store-context.ts'
import { archiveSession, unarchiveSession } from './archive-session.ts'
import { appendHistory, type History, type ReadHistoryOptions, readHistory } from './history.ts'
import { followRecords, type LiveRecords } from './live-records.ts'
import {
  type ArchivedFile,
  listArchived,
  listSessionIds,
  nextNumber,
  possibleIds,
  readNewestArchived,
  readNewestOfEach,
  readSessionFile,
  type StoredSession,
  savePrompt,
} from './session-file.ts'
import {
  type EventsOfUpdate,
  lockSession,
  type RecordUpdate,
  removeSession,
  reserveSession,
  updateSession,
  withOperation,
} from './update-session.ts'

export type { ArchivedFile, History, RecordUpdate, StoredSession }

export interface SessionStore {
  readonly projectId: string
  readonly paths: ProjectPaths
  /** Creates the directories and `.origin` on first use. ORIGIN_MISMATCH when they belong to another configuration. */
  ensure(): void
  /** Ids of active sessions, sorted. Reads only. */
  list(): string[]
  /** Names of a few records, as they come: fewer than `count` when there are no more. Reads only. */
  listSome(count: number): string[]
  /** null: there is no active session with this id. Reads only. */
  read(sessionId: string): StoredSession | null
  /** Every active session, in the order of their ids. Reads only. */
  readAll(): readonly StoredSession[]
  /** From here on `readAll` costs only what has changed, until the returned function is called. For a process that stays. */
  follow(): () => void
  /** A record that has not changed is the same object in every `readAll`. */
  isFollowed(): boolean
  /** Creates the session, complete from its first moment. false: this id is or was in use. */
  reserve(sessionId: string, record: RecordChange, event: OtherEvent): Promise<boolean>
  /** One more than the highest number ever used with this prefix. */
  nextNumber(prefix: string): number
  /**
   * Merges (null deletes a key), records the events, writes. Resolves with the session as it is now stored. A status that changes with
   * it is recorded by itself, with its moment; `why` is the evidence for it.
   */
  update(sessionId: string, change: RecordUpdate, events?: EventsOfUpdate, why?: string[]): Promise<Session>
  /** Without archiving; the history stays. A missing session is fine. */
  remove(sessionId: string): Promise<void>
  /** Resolves with the name of the file in `archive/`. */
  archive(sessionId: string, change?: RecordUpdate, events?: OtherEvent[], why?: string[]): Promise<string>
  /** The newest archived state of the session. */
  readArchived(sessionId: string): (StoredSession & { file: string; archivedAt: Date }) | null
  /** Every archived state, newest first. */
  listArchived(): ArchivedFile[]
  /** The newest archived state of every session that has one. However often it is called, each file is read once. */
  readAllArchived(): StoredSession[]
  /** Makes the newest archived state active again; the archive keeps its file. */
  unarchive(sessionId: string, change?: RecordUpdate, events?: OtherEvent[], why?: string[]): Promise<Session>
  appendEvents(sessionId: string, bodies: OtherEvent[]): Promise<SessionEvent[]>
  /** In order. Callers that need only the end specify how much: histories are unbounded. */
  readHistory(sessionId: string, options?: ReadHistoryOptions): History
  /** Keeps what it begins with, so that a fresh start after a crash sends exactly the same; null: there is none. */
  savePrompt(sessionId: string, prompt: string | null): void
  /** The number of the turn that this message begins. */
  nextTurn(sessionId: string, messageId: string): number
  /** Runs `work` while no other command works on this session. SESSION_BUSY names the process that does. */
  withOperation<T>(sessionId: string, work: () => Promise<T>, options?: LockOptions): Promise<T>
}

/** The stores of a configuration, by project: each is made once, and remembers what it has read. */
export function createStores({
  paths,
  ...common
}: Omit<StoreContext, 'projectId' | 'paths'> & { paths: AoPaths }): (projectId: string) => SessionStore {
  const stores = new Map<string, SessionStore>()
  return (projectId) => {
    const store = stores.get(projectId) ?? createSessionStore({ ...common, projectId, paths: paths.project(projectId) })
    stores.set(projectId, store)
    return store
  }
}

export function createSessionStore(context: StoreContext): SessionStore {
  const { projectId, paths } = context
  const memory = createFileMemory<StoredSession>()
  const archived = new Map<string, StoredSession>()
  let isReady = false
  let isOurs = false
  let wasListed = false
  let live: LiveRecords<StoredSession> | null = null
  let followers = 0
  const ensure = () => {
    if (isReady) return
    prepareDirectories(context)
    isReady = true
    isOurs = true
  }
  /** For changes: the directories exist, and they are ours. */
  const prepared = () => {
    ensure()
    return context
  }
  /** For reads: nothing is created, but another configuration's sessions are never shown as ours. */
  const verified = () => {
    // Once: a list reads hundreds of records, and the origin of a directory does not change.
    if (!isOurs) isOurs = verifyOrigin(context)
    return paths
  }
  const list = () => {
    const ids = listSessionIds(verified())
    memory.limit(ids.length)
    return ids
  }
  const read = (sessionId: string) => readSessionFile(verified(), sessionId, memory)
  // Verified once for all of them: a directory without an origin would be asked for it with every record. A process that lists once
  // keeps nothing for the next time.
  const readEach = () => {
    const names = possibleIds(verified()).sort()
    memory.limit(names.length)
    const kept = wasListed || live !== null ? memory : undefined
    wasListed = true
    // null: it is no session, or ended since its name was read.
    return names.flatMap((id) => readSessionFile(paths, id, kept) ?? [])
  }
  const noted = async <T>(sessionId: string, change: () => T | Promise<T>): Promise<T> => {
    try {
      return await change()
    } finally {
      live?.note(sessionId)
    }
  }
  return {
    projectId,
    paths,
    ensure,
    list,
    listSome: (count) => possibleIds(verified(), count),
    read,
    readAll: () => live?.all() ?? readEach(),
    follow() {
      live ??= followRecords({ directory: paths.sessions, readAll: readEach, read })
      followers += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        followers -= 1
        if (followers > 0) return
        live?.close()
        live = null
      }
    },
    isFollowed: () => live !== null,
    reserve: (sessionId, record, event) => noted(sessionId, () => reserveSession(prepared(), sessionId, record, event)),
    nextNumber: (prefix) => nextNumber(verified(), prefix),
    update: (sessionId, ...change) => noted(sessionId, () => updateSession(prepared(), sessionId, ...change)),
    remove: (sessionId) => noted(sessionId, () => removeSession(prepared(), sessionId)),
    archive: (sessionId, ...change) => noted(sessionId, () => archiveSession(prepared(), sessionId, ...change)),
    readArchived: (sessionId) => readNewestArchived(verified(), sessionId),
    listArchived: () => listArchived(verified()),
    readAllArchived: () => readNewestOfEach(verified(), archived),
    unarchive: (sessionId, ...change) => noted(sessionId, () => unarchiveSession(prepared(), sessionId, ...change)),
    appendEvents: async (sessionId, bodies) =>
      lockSession(prepared(), sessionId, () => appendHistory(context, sessionId, bodies)),
    readHistory: (sessionId, options) => readHistory(verified(), sessionId, options),
    savePrompt: (sessionId, prompt) => savePrompt(paths.stateDir(sessionId), prompt),
    nextTurn: (sessionId, messageId) =>
      turnAfter(readHistory(verified(), sessionId, { last: 1, types: TURNS }).events[0], messageId),
    withOperation: async (sessionId, work, options) => withOperation(prepared(), sessionId, work, options),
  }
}

const TURNS: ReadonlySet<SessionEvent['type']> = new Set(['turn.saved', 'turn.not_saved'])

/** The same again for a message that was handed over before. */
function turnAfter(last: SessionEvent | undefined, messageId: string): number {
  if (last?.type !== 'turn.saved' && last?.type !== 'turn.not_saved') return 1
  return last.message === messageId ? last.turn : last.turn + 1
}

type OriginContext = Pick<StoreContext, 'projectId' | 'paths' | 'configPath'>

/** Creates what is missing. Many processes may do this at once; the first one's `.origin` counts for all. */
export function prepareDirectories(context: OriginContext): void {
  const { paths, configPath } = context
  verifyOrigin(context)
  mkdirSync(paths.dir, { recursive: true, mode: 0o700 })
  // Before anything else is put there, so that a collision changes no data.
  if (!createFileExclusive(paths.origin, `${configPath}\n`)) verifyOrigin(context)
  for (const directory of [paths.sessions, paths.archive, paths.damaged, paths.locks, paths.history, paths.feedback]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }
}

/**
 * Two configuration directories with the same hash are improbable; mixing their sessions is unacceptable. false: nothing
 * has been written there yet.
 */
export function verifyOrigin({ projectId, paths, configPath }: OriginContext): boolean {
  const recorded = readOrigin(paths.origin)
  if (recorded === null || recorded === configPath) return recorded !== null
  throw new AoError(
    'ORIGIN_MISMATCH',
    `The data of project ${projectId} in ${paths.dir} belongs to ${recorded}, not to ${configPath}`,
    {
      hint: existsSync(recorded)
        ? `Two configurations have the same data. Set AO_DATA_DIR for one of them`
        : 'If the configuration was moved here, take its sessions along with: ao config relink',
      details: { recorded, configPath, directory: paths.dir },
    },
  )
}

function readOrigin(file: string): string | null {
  return readIfThere(file, { noFollow: true })?.trim() ?? null
}
