// What branches of sessions change, in the index: committed work against where it left its base, of ended sessions too while their
// commits are there. The index knows the two commits; the text comes from git whenever something is found in it.
import type { Database } from 'better-sqlite3'
import type { Unit } from '../core/search/find-in-unit.ts'
import { unitsOfDiff } from '../core/search/read-units.ts'
import { cutDiff } from '../git/diff/cut-diff.ts'
import { diffFormat } from '../git/diff/diff-request.ts'
import { gitOn, openRepository, type Repository, resolveRefs, tryGitOn } from '../git/repository.ts'
import { dropSource, saveSource } from './index-rows.ts'
import type { Piece } from './read-source.ts'

/** Where the branches of a project are. */
export interface WorkOf {
  path: string
  defaultBranch: string
}

export interface DiffOptions {
  /** By project. */
  work: ReadonlyMap<string, WorkOf>
  env: NodeJS.ProcessEnv
  /** Until then, in milliseconds of `performance.now()`; the rest is read the next time. */
  deadline: number
}

const PIECE_BYTES = 32 * 1024
const AT_ONCE = 5_000
/** One call of git, however much time there is. */
export const GIT_MS = 10_000
/** Far more than is searched of a diff. */
const MOST_OUTPUT = 8 * 1024 * 1024
/** Before a head that there was no time to read: it is read after all others. */
const LATE = 'late '

interface BranchRow {
  number: number
  branch: string
  base: string
  /** The head that was read; null: none was, '': there is none; after LATE: it took too long. */
  tip: string | null
}

/** The newest first. false: there was no time for all of them. */
export async function syncDiffs(db: Database, { work, env, deadline }: DiffOptions): Promise<boolean> {
  const find = db.prepare(
    `SELECT number, branch, base, tip FROM sessions WHERE project = ? AND branch <> '' 
      AND (archived IS NULL OR tip IS NULL OR tip LIKE '${LATE}%')
      ORDER BY coalesce(tip LIKE '${LATE}%', 0), number DESC LIMIT ${AT_ONCE}`,
  )
  let isWhole = true
  for (const [project, { path, defaultBranch }] of work) {
    const rows = find.all(project) as BranchRow[]
    const repository = rows.length === 0 ? null : findRepository(path, env)
    if (repository === null) continue
    isWhole &&= rows.length < AT_ONCE
    const tips = await resolveRefs(repository, rows.map(refOf), within(deadline)).catch(() => null)
    // git does not answer: asked again the next time.
    if (tips === null) isWhole = false
    if (tips === null) continue
    // Of a branch that is gone, what was read before can be found while git has its commits.
    const gone = rows.filter((row) => (row.tip === null || row.tip.startsWith(LATE)) && !tips.has(refOf(row)))
    db.transaction(() => {
      for (const { number } of gone) db.prepare("UPDATE sessions SET tip = '' WHERE number = ?").run(number)
    })()
    for (const row of rows) {
      const tip = tips.get(refOf(row))
      if (tip === undefined || tip === row.tip) continue
      if (performance.now() > deadline) return false
      const branch = { ...row, base: row.base || defaultBranch, tip }
      if (!(await syncBranch(db, repository, branch, deadline))) return false
    }
  }
  return isWhole
}

/** null: there is none now; what is in the index stays. */
export function findRepository(path: string, env: NodeJS.ProcessEnv): Repository | null {
  try {
    return openRepository(path, env)
  } catch {
    return null
  }
}

/** A name from a record: whatever git would not take as one is no branch. */
function refOf({ branch }: Pick<BranchRow, 'branch'>): string {
  return /\.\.|^[-/]|[\s\0~^:?*[\\]|\/\/|\/$/.test(branch) ? 'refs/heads/-' : `refs/heads/${branch}`
}

/** What a call of git may take. */
function within(deadline: number): { timeoutMs: number; maxOutputBytes: number } {
  const left = Math.ceil(deadline - performance.now()) + 1
  return { timeoutMs: Math.max(1, Math.min(GIT_MS, left)), maxOutputBytes: MOST_OUTPUT }
}

/** false: there was no time for it. */
async function syncBranch(
  db: Database,
  repository: Repository,
  { number, base, tip }: BranchRow & { tip: string },
  deadline: number,
): Promise<boolean> {
  const setTip = db.prepare('UPDATE sessions SET tip = ? WHERE number = ?')
  const read = await readBranch(repository, { base, tip, deadline }).catch(() => null)
  if (read === null && performance.now() >= deadline) {
    setTip.run(`${LATE}${tip}`, number)
    return false
  }
  // It cannot be read now: damaged, too large, or git does not answer. Tried again when the branch moves.
  const { range, units } = read ?? { range: null, units: [] }
  const pieces = toPieces(units)
  db.transaction(() => {
    const before = db.prepare("SELECT number FROM sources WHERE session = ? AND kind = 'diff'").pluck().all(number)
    // Work that has landed is on the base as well, and compares as nothing: what it was is in the index already.
    if (pieces.length > 0) for (const source of before as number[]) dropSource(db, source)
    if (pieces.length > 0 && range !== null) {
      const source = { kind: 'diff' as const, name: range.name, path: '', inode: 0, bytes: 0, changed: range.at }
      saveSource(db, number, source, pieces)
    }
    setTip.run(tip, number)
  }).immediate()
  return true
}

interface BranchRequest {
  base: string
  tip: string
  deadline: number
}

async function readBranch(repository: Repository, request: BranchRequest) {
  const range = await findRange(repository, request)
  return { range, units: range === null ? [] : await readUnits(repository, range.name, request.deadline) }
}

interface DiffRange {
  /** Both commits, as the source is called. */
  name: string
  /** Milliseconds since 1970. */
  at: number
}

async function findRange(repository: Repository, { base, tip, deadline }: BranchRequest): Promise<DiffRange | null> {
  const ask = async (...args: string[]) => {
    const result = await tryGitOn(repository, args, { read: true, ...within(deadline) })
    if (result.timedOut) throw new Error(`git ${args[0]} did not finish in time`)
    return result.ok ? result.stdout.trim() : ''
  }
  const onto = `refs/heads/${base}`
  let from = await ask('merge-base', onto, tip)
  if (from === tip) {
    // Merged: from where it left what it was merged into.
    const merges = await ask('rev-list', '--first-parent', '--ancestry-path', '--merges', `${tip}..${onto}`)
    const merge = merges.split('\n').at(-1)
    from = merge ? await ask('merge-base', `${merge}^1`, tip) : ''
  }
  const seconds = Number(await ask('show', '-s', '--format=%ct', tip))
  return from === '' || from === tip ? null : { name: `${from}..${tip}`, at: seconds * 1_000 }
}

const RANGE = /^[0-9a-f]{40,64}\.\.[0-9a-f]{40,64}$/

/** Throws when git has those commits no longer, or does not show them before the deadline. */
export async function readUnits(repository: Repository, range: string, deadline: number): Promise<Unit[]> {
  if (!RANGE.test(range)) return []
  const args = ['diff', ...diffFormat({ context: 0 }), range, '--']
  const { diff } = cutDiff(await gitOn(repository, args, { read: true, ...within(deadline) }))
  return unitsOfDiff(diff)
}

/**
 * A line of its own before each diff, whose own lines begin with a sign or a word of git. Only a line feed ends a line there: other
 * characters that end one elsewhere are text of a branch.
 */
const HEADING = /(?<=^|\n)([0-9a-f]{40,64})(?:\n|$)/

/** The same for several at once, in one call of git. Throws when one of them is gone, is not where it should be, or there is no time for all. */
export async function readUnitsOf(
  repository: Repository,
  ranges: readonly string[],
  deadline: number,
): Promise<Map<string, Unit[]>> {
  const wanted = ranges.filter((range) => RANGE.test(range)).map((range) => range.split('..') as [string, string])
  // A commit, and what counts as its parent here.
  const input = wanted.map(([from, tip]) => `${tip} ${from}\n`).join('')
  const args = ['diff-tree', '--stdin', '--patch', ...diffFormat({ context: 0 })]
  const shown = await gitOn(repository, args, { read: true, input, ...within(deadline) })
  const [first, ...parts] = shown.split(HEADING)
  const diffs = parts.flatMap((tip, at) => (at % 2 === 0 ? [{ tip, diff: parts[at + 1] ?? '' }] : []))
  // Shown in the order of the question, without those that compare as nothing.
  let next = 0
  const units = new Map(
    wanted.map(([from, tip]) => {
      const diff = diffs[next]?.tip === tip ? diffs[next++]!.diff : ''
      return [`${from}..${tip}`, unitsOfDiff(cutDiff(diff).diff)]
    }),
  )
  if (first !== '' || next !== diffs.length) throw new Error('git showed other diffs than it was asked for')
  return units
}

/** Their bounds count units. */
function toPieces(units: readonly Unit[]): Piece[] {
  const pieces: Piece[] = []
  for (let from = 0; from < units.length; ) {
    let to = from
    for (let size = 0; to < units.length && (to === from || size < PIECE_BYTES); to++) size += units[to]!.text.length
    pieces.push({ from, to, units: units.slice(from, to) })
    from = to
  }
  return pieces
}
