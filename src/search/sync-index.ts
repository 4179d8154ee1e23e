// Brings the index up to date: only files that changed are read, from where they were read last. Archived sessions rest; whether
// their files are still the same is checked once a day.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { AghPaths } from '../agh/paths.ts'
import { recordOf } from '../contract/record.ts'
import type { Session } from '../contract/session.ts'
import { storedSession } from '../contract/stored-session.ts'
import { titleOf } from '../core/status/describe-session.ts'
import type { AgentTranscripts } from '../slots/agent.ts'
import { readStored } from '../store/session/session-file.ts'
import type { SessionStore } from '../store/session/session-store.ts'
import { syncDiffs, type WorkOf } from './branch-diffs.ts'
import { dropPiece, dropSource, lastPiece, listRows, saveSession, saveSource } from './index-rows.ts'
import { listSources, pathOf, transcriptSources } from './list-sources.ts'
import { isSame, isTranscript, type Piece, readPieces, type Source, type Stamp, stampOf } from './read-source.ts'

export interface SyncOptions {
  stores: readonly SessionStore[]
  agh: AghPaths
  /** Milliseconds since 1970. */
  now: number
  /** Until then, in milliseconds of `performance.now()`; the rest is read the next time. */
  deadline: number
  onSession?(done: number): void
  /** What agents themselves keep of conversations; absent: it is not searched. */
  transcripts?: Transcripts
  /** Where branches are whose diffs are searched, by project; absent: none are. */
  work?: ReadonlyMap<string, WorkOf>
  env?: NodeJS.ProcessEnv
  /** How long diffs may be read at most. */
  diffMs?: number
}

export interface Transcripts {
  names(session: Session): Promise<readonly string[]>
  /** null: this agent has none. */
  of(agent: string): Promise<AgentTranscripts | null>
}

/** false: there was no time for all of it. */
export async function syncIndex(db: Database, options: SyncOptions): Promise<boolean> {
  await sweep(db, options)
  const asking = { spentMs: 0 }
  let done = 0
  for (const store of options.stores) {
    const archive = changedAt(store.paths.archive)
    for (const { session, archived } of listChanged(db, store, archive)) {
      if (performance.now() > options.deadline) return false
      await syncSession(db, session, { ...options, archived, store, asking })
      options.onSession?.(++done)
    }
    if (options.now - archive > SETTLED_MS) noteArchive(db, store.projectId, archive)
  }
  const { work, env = {} } = options
  if (work === undefined) return true
  // Last, and not for long: each takes a few calls of git, and what is left is read the next time.
  const deadline = Math.min(options.deadline, performance.now() + (options.diffMs ?? DIFF_MS))
  return syncDiffs(db, { work, env, deadline })
}

/** A search takes no longer to find out where agents of active sessions keep their files, and asks for each of them this seldom. */
const ASK_MS = 40
const ASK_AGAIN_MS = 5 * 60_000
/** A search takes no longer for diffs that nobody has read yet. */
const DIFF_MS = 300
const DAY_MS = 24 * 60 * 60_000
/** A directory that changed more recently may change again without another time. */
const SETTLED_MS = 2_000

/** Whatever was removed is forgotten, and a session whose files changed at rest is read again. */
async function sweep(db: Database, { stores, agh, now, transcripts }: SyncOptions): Promise<void> {
  const last = db.prepare('SELECT max(at) FROM sweeps').pluck().get() as number | null
  if (last !== null && now - last < DAY_MS && now >= last) return
  const wake = db.prepare('UPDATE sessions SET archived = NULL WHERE number = ?')
  for (const { projectId, paths } of stores) {
    for (const row of listRows(db, projectId)) {
      if (row.kind === 'diff') continue
      const own = isTranscript(row) ? await transcripts?.of(row.agent) : null
      const source = { ...row, path: pathOf(row.id, row, { paths, agh }), transcripts: own ?? null }
      const stamp = await stampOf(source).catch(() => row)
      if (stamp === null) dropSource(db, row.number)
      else if (!isSame(stamp, row)) wake.run(row.session)
    }
  }
  db.transaction(() => {
    // Nothing but a diff is left: the session was removed.
    const alone = db.prepare(
      "SELECT number FROM sources WHERE kind = 'diff' AND session NOT IN (SELECT session FROM sources WHERE kind <> 'diff')",
    )
    for (const number of alone.pluck().all() as number[]) dropSource(db, number)
    // Whoever is still there comes back with its files.
    db.exec('DELETE FROM sessions WHERE number NOT IN (SELECT session FROM sources)')
    db.exec('DELETE FROM archives; DELETE FROM sweeps')
    db.prepare('INSERT INTO sweeps VALUES (?)').run(now)
  })()
}

function changedAt(directory: string): number {
  return statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function noteArchive(db: Database, project: string, changed: number): void {
  const sql =
    'INSERT INTO archives VALUES (?, ?) ON CONFLICT DO UPDATE SET changed = excluded.changed WHERE changed <> excluded.changed'
  db.prepare(sql).run(project, changed)
}

interface Listed {
  session: Session
  /** Its file in the archive; null: it is not archived. */
  archived: string | null
}

/** Archived ones first, oldest first, so that the newest have the highest numbers. */
function* listChanged(db: Database, store: SessionStore, archive: number): Generator<Listed> {
  const active = store.readAll()
  const before = db.prepare('SELECT changed FROM archives WHERE project = ?').pluck().get(store.projectId)
  if (before !== archive) yield* listArchived(db, store, new Set(active.map(({ id }) => id)))
  for (const stored of active) yield { session: storedSession(stored, store.projectId), archived: null }
}

function* listArchived(db: Database, store: SessionStore, active: ReadonlySet<string>): Generator<Listed> {
  const rows = db.prepare('SELECT id, archived FROM sessions WHERE project = ?').raw().all(store.projectId)
  const indexed = new Map(rows as Array<[string, string | null]>)
  const newest = new Map(
    store
      .listArchived()
      .toReversed()
      .map(({ id, file }) => [id, file]),
  )
  for (const [id, file] of newest) {
    if (active.has(id) || indexed.get(id) === file) continue
    const stored = readStored(id, join(store.paths.archive, file))
    if (stored) yield { session: storedSession(stored, store.projectId), archived: file }
  }
}

interface SessionSync extends Pick<SyncOptions, 'agh' | 'now' | 'transcripts'> {
  archived: string | null
  store: SessionStore
  /** By this search, about active sessions. */
  asking: { spentMs: number }
}

async function syncSession(db: Database, session: Session, options: SessionSync): Promise<void> {
  const { archived, store, agh } = options
  const { id, projectId, status } = session
  const { agent = '', baseBranch: base = '' } = recordOf(session)
  const row = { project: projectId, id, agent, status, title: titleOf(session), branch: session.branch ?? '', base }
  const number = saveSession(db, row)
  const rows = listRows(db, projectId, number)
  const own = listSources(session, { paths: store.paths, agh })
  const names = await askForTranscripts(db, session, number, options)
  const before = rows.filter(isTranscript).map(({ name }) => name)
  const reader = (names ?? before).length > 0 ? await options.transcripts?.of(agent) : null
  const sources = [...own, ...transcriptSources(names ?? before, reader ?? null)]
  for (const row of rows) {
    if (row.kind !== 'diff' && !sources.some(({ kind, name }) => kind === row.kind && name === row.name))
      dropSource(db, row.number)
  }
  for (const source of sources) {
    const row = rows.find(({ kind, name }) => kind === source.kind && name === source.name)
    await syncSource(db, number, source, row)
  }
  // Last: one that was read in part is read again, and so is one whose transcripts nobody could find now.
  const isAsked = names !== null || options.transcripts === undefined
  if (archived !== null && isAsked)
    db.prepare('UPDATE sessions SET archived = ? WHERE number = ?').run(archived, number)
}

/** null: they are where they were. Without time for it they are found by a later search; of an archived session nobody asks later, unless it failed. */
async function askForTranscripts(
  db: Database,
  session: Session,
  number: number,
  { transcripts, now, archived, asking }: SessionSync,
): Promise<readonly string[] | null> {
  if (transcripts === undefined) return null
  const lastTime = db.prepare('SELECT asked FROM sessions WHERE number = ?').pluck().get(number) as number | null
  const isFresh = lastTime !== null && now >= lastTime && now - lastTime < ASK_AGAIN_MS
  if (archived === null && (isFresh || asking.spentMs > ASK_MS)) return null
  const startedAt = performance.now()
  const found = await transcripts.names(session).catch(() => null)
  if (archived === null) asking.spentMs += performance.now() - startedAt
  if (found !== null) db.prepare('UPDATE sessions SET asked = ? WHERE number = ?').run(now, number)
  return found
}

type SourceRow = ReturnType<typeof listRows>[number]

async function syncSource(db: Database, session: number, source: Source, row: SourceRow | undefined): Promise<void> {
  const pieces: Piece[] = []
  let [stamp, hasGrown, last]: [Stamp | null, boolean, ReturnType<typeof lastPiece>] = [null, false, undefined]
  try {
    stamp = await stampOf(source)
    if (stamp === null) return row && dropSource(db, row.number)
    if (row && isSame(stamp, row)) return
    hasGrown = row !== undefined && row.inode === stamp.inode && row.bytes <= stamp.bytes
    last = hasGrown ? lastPiece(db, row!.number) : undefined
    for await (const piece of readPieces(source, last?.start ?? 0)) pieces.push(piece)
  } catch {
    // Removed meanwhile, damaged or locked: what is in the index already stays, and it is tried again the next time.
    return
  }
  db.transaction(() => {
    if (row && !hasGrown) dropSource(db, row.number)
    else if (last) dropPiece(db, last.number)
    saveSource(db, session, { ...source, ...stamp }, pieces)
  }).immediate()
}
