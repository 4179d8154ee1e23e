// Searches everything that sessions leave behind, ended and archived ones too: the index says which pieces may hold it, and the files
// themselves say whether they do.
import type { Database } from 'better-sqlite3'
import { isBusy, isNoSpace } from '../agh/store/database.ts'
import type { OrchestratorConfig } from '../contract/config.ts'
import type { SearchHit } from '../contract/dashboard/search.ts'
import { excerptOf, type Unit } from '../core/search/find-in-unit.ts'
import { matchExpression, type SearchQuery } from '../core/search/parse-query.ts'
import { findRepository, GIT_MS, readUnits, readUnitsOf } from './branch-diffs.ts'
import { dropSource, type SessionRow } from './index-rows.ts'
import { pathOf, type Roots } from './list-sources.ts'
import { isTranscript, readPieces, type Source, stampOf } from './read-source.ts'
import { type SyncOptions, syncIndex } from './sync-index.ts'

/** Pieces that are read at most, and hits of one session that are shown. */
const MOST_PIECES = 400
const MOST_OF_SESSION = 3
/** Each is a call of git. */
const MOST_DIFFS = 12
/** All of them together, while somebody types. */
const DIFFS_MS = 1_000

export interface Found {
  hits: SearchHit[]
  /** false: not everything is in the index yet. */
  isWhole: boolean
}

/** Where the branches of all projects are. */
export function workOf(
  { projects }: Pick<OrchestratorConfig, 'projects'>,
  env: NodeJS.ProcessEnv,
): Required<Pick<SyncOptions, 'work' | 'env'>> {
  const all = Object.values(projects).map(({ id, path, defaultBranch }) => [id, { path, defaultBranch }] as const)
  return { work: new Map(all), env }
}

export async function searchSessions(
  db: Database,
  query: SearchQuery,
  { limit, ...sync }: SyncOptions & { limit: number },
): Promise<Found> {
  const isWhole = await syncIndex(db, sync).catch((error) => {
    // Another process brings it up to date, or the disk is full: what is in it can be found.
    if (isBusy(error) || isNoSpace(error)) return false
    throw error
  })
  const hits: SearchHit[] = []
  const shown = new Map<string, number>()
  const paths = new Map(sync.stores.map((store) => [store.projectId, store.paths]))
  const diffs = diffReader(sync)
  for (const row of matchingRows(db, query, diffs.expect)) {
    if (hits.length >= limit) break
    const own = paths.get(row.project)
    // A project that the configuration no longer has.
    if (own === undefined) continue
    const key = `${row.project}/${row.id}`
    if ((shown.get(key) ?? 0) >= MOST_OF_SESSION) continue
    const found = row.kind === 'diff' ? hitsOf(row, await diffs.read(row), query) : null
    for (const hit of found ?? (await hitsIn(db, row, query, { paths: own, ...sync }))) {
      const count = (shown.get(key) ?? 0) + 1
      if (count > MOST_OF_SESSION || hits.length >= limit) break
      shown.set(key, count)
      hits.push(hit)
    }
  }
  return { hits: hits.sort((a, b) => (b.at ?? '').localeCompare(a.at ?? '')), isWhole: isWhole && !diffs.isLate() }
}

interface PieceRow extends SessionRow {
  kind: Source['kind']
  name: string
  changed: number
  source: number
  start: number
  stop: number
}

/** Diffs last: each of them is a call of git, which is not made when others are enough. */
function* matchingRows(
  db: Database,
  query: SearchQuery,
  onDiffs: (rows: readonly PieceRow[]) => void,
): Generator<PieceRow> {
  // Nothing else names files.
  const others = query.file === null ? "kind <> 'diff'" : "kind = 'conversation'"
  if (query.kind !== 'diff') yield* findRows(db, query, `${others} AND (:kind IS NULL OR kind = :kind)`)
  if (query.kind !== null && query.kind !== 'diff') return
  const diffs = findRows(db, query, "kind = 'diff'")
  onDiffs(diffs)
  yield* diffs
}

function findRows(db: Database, query: SearchQuery, ofKind: string): PieceRow[] {
  if (query.problem !== null) return []
  const { project, agent, status, kind } = query
  const sql = `SELECT sessions.*, sources.kind, sources.name, sources.changed, pieces.source, pieces.start, pieces.stop
    FROM terms JOIN pieces ON pieces.number = terms.rowid
      JOIN sources ON sources.number = pieces.source JOIN sessions ON sessions.number = sources.session
    WHERE terms MATCH :match AND (:project IS NULL OR project = :project)
      AND (:agent IS NULL OR agent = :agent) AND (:status IS NULL OR status = :status) AND ${ofKind}
    ORDER BY terms.rowid DESC LIMIT ${MOST_PIECES}`
  try {
    return db.prepare(sql).all({ match: matchExpression(query), project, agent, status, kind }) as PieceRow[]
  } catch (error) {
    // The tokenizer splits a term that we take as one: the index holds no such word.
    if ((error as { code?: unknown }).code === 'SQLITE_ERROR') return []
    throw error
  }
}

interface DiffReader {
  /** Those that are about to be read, in this order. */
  expect(rows: readonly PieceRow[]): void
  /** Each diff is read once for all of its pieces. */
  read(row: PieceRow): Promise<Unit[]>
  /** There was no time for all of them. */
  isLate(): boolean
}

function diffReader({ work, env = {}, deadline }: SyncOptions): DiffReader {
  const read = new Map<number, Promise<Unit[]>>()
  const until = performance.now() + (deadline === Number.POSITIVE_INFINITY ? GIT_MS : DIFFS_MS)
  let isLate = false
  async function readOne(path: string, range: string): Promise<Unit[]> {
    const repository = findRepository(path, env)
    if (repository === null) return []
    try {
      if (performance.now() < until) return await readUnits(repository, range, until)
    } catch {
      // Its commits are gone, or git does not answer: the others are shown.
    }
    isLate ||= performance.now() >= until
    return []
  }
  /** The first diffs of each project, in one call of git. Whatever that does not show is read by itself. */
  async function readFirst(path: string, rows: readonly PieceRow[]): Promise<ReadonlyMap<string, Unit[]>> {
    const repository = findRepository(path, env)
    const ranges = [...new Set(rows.map(({ name }) => name))].slice(0, MOST_DIFFS)
    if (repository === null) return new Map()
    return readUnitsOf(repository, ranges, until).catch(() => new Map())
  }
  const first = new Map<string, Promise<ReadonlyMap<string, Unit[]>>>()
  return {
    isLate: () => isLate,
    expect(rows) {
      for (const [project, own = []] of Object.entries(Object.groupBy(rows, (row) => row.project))) {
        const path = work?.get(project)?.path
        if (path !== undefined) first.set(project, readFirst(path, own))
      }
    },
    async read({ project, source, name, start, stop, changed }) {
      const path = work?.get(project)?.path
      if (path === undefined || (!read.has(source) && read.size >= MOST_DIFFS)) return []
      const shown = (await first.get(project))?.get(name)
      const units = read.get(source) ?? (shown ? Promise.resolve(shown) : readOne(path, name))
      read.set(source, units)
      return (await units).slice(start, stop).map((unit) => ({ ...unit, at: changed }))
    },
  }
}

/** Newest first. None when the file no longer says it. */
async function hitsIn(
  db: Database,
  row: PieceRow,
  query: SearchQuery,
  { transcripts, ...roots }: Roots & Pick<SyncOptions, 'transcripts'>,
): Promise<SearchHit[]> {
  const { id, kind, name, agent } = row
  const own = isTranscript(row) ? await transcripts?.of(agent) : null
  const source = { kind, name, path: pathOf(id, row, roots), transcripts: own ?? null }
  const hits: SearchHit[] = []
  try {
    if ((await stampOf(source)) === null) dropSource(db, row.source)
    else for await (const { units } of readPieces(source, row.start, row.stop)) hits.push(...hitsOf(row, units, query))
  } catch {
    // Locked or damaged since: the others are shown.
  }
  return hits.toReversed()
}

function hitsOf(row: PieceRow, units: readonly Unit[], query: SearchQuery): SearchHit[] {
  const { project, id, agent, status, title, kind } = row
  return units.flatMap((unit) => {
    const excerpt = excerptOf(unit, query)
    if (excerpt === null) return []
    const at = unit.at === null ? null : new Date(unit.at).toISOString()
    return [{ sessionId: id, projectId: project, agent, status, title, kind, at, sequence: unit.sequence, excerpt }]
  })
}
