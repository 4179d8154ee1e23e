// Where the comments on a pull request belong now: a push moves lines, and changes some of them.
import type { PullRemark } from '../../contract/dashboard/answers.ts'
import { type FileMoves, moveLine, parseLineMoves } from '../../core/text/move-line.ts'
import type { PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalForge } from '../../forge/types.ts'
import { openRepository, type Repository, tryGitOn } from '../../git/repository.ts'
import type { PrSnapshot } from '../../slots/scm.ts'
import type { PullTarget } from './pull-change.ts'
import { toRemarks } from './pull-rows.ts'

/** Older ones refer to a state that is no longer compared with. */
const MOST_COMMITS = 20

/** Of any pull request. */
export async function placedRemarks({ context, reading, known }: PullTarget): Promise<PullRemark[]> {
  const remarks = toRemarks(known)
  if (known.kind === 'local') return placeRemarks(reading.forge!, known.view, remarks)
  return placeRemote(() => openRepository(reading.project.path, context.env), known.snapshot, remarks)
}

export async function placeRemarks(
  forge: LocalForge,
  view: PullView,
  remarks: readonly PullRemark[],
): Promise<PullRemark[]> {
  // An answer has the lines of the remark that it answers, as they were then.
  const firsts = new Map(remarks.filter(({ isReply }) => !isReply).map((remark) => [remark.id, remark]))
  const firstOf = (remark: PullRemark) => (remark.isReply && firsts.get(remark.thread ?? '')) || remark
  const commits = new Map(remarks.map((remark) => [remark.id, commitOf(view, firstOf(remark))]))
  return placeAt(forge.repository(), view.headSha, remarks, commits)
}

/** Of a forge elsewhere: where it says of which commit the lines are. */
async function placeRemote(
  open: () => Repository,
  { headSha, comments }: PrSnapshot,
  remarks: readonly PullRemark[],
): Promise<PullRemark[]> {
  const commits = new Map(comments.map(({ id, commit = headSha }) => [id, commit]))
  const older = remarks.filter(({ id, isOutdated }) => !isOutdated && (commits.get(id) ?? headSha) !== headSha)
  if (older.length === 0) return [...remarks]
  const placed = await placeAt(open(), headSha, older, commits)
  const byId = new Map(placed.map((remark) => [remark.id, remark]))
  return remarks.map((remark) => byId.get(remark.id) ?? remark)
}

async function placeAt(
  repository: Repository,
  headSha: string,
  remarks: readonly PullRemark[],
  commits: ReadonlyMap<string, string | null>,
): Promise<PullRemark[]> {
  const older = [...new Set(remarks.map(({ id }) => commits.get(id) ?? null))].filter(
    (commit) => commit !== null && commit !== headSha,
  )
  const compared = older.slice(-MOST_COMMITS)
  const moves = new Map(
    await Promise.all(compared.map(async (commit) => [commit, await readMoves(repository, commit!, headSha)] as const)),
  )
  return remarks.map((remark) => {
    const commit = commits.get(remark.id) ?? null
    if (commit === headSha || remark.path === null || remark.line === null) return remark
    return place(remark, moves.get(commit) ?? null)
  })
}

/** The head it was written for. */
function commitOf({ pull }: PullView, { reviewId, createdAt }: PullRemark): string | null {
  const review = reviewId === null ? undefined : pull.reviews.find(({ id }) => id === reviewId)
  return review?.commit ?? pull.heads.findLast(({ at }) => at <= createdAt)?.sha ?? pull.heads[0]?.sha ?? null
}

/** null: the commit is gone. */
async function readMoves(repository: Repository, from: string, to: string): Promise<Map<string, FileMoves> | null> {
  const args = ['diff', '--unified=0', '--find-renames', '--no-ext-diff', '--no-textconv', ...PREFIXES, from, to, '--']
  const result = await tryGitOn(repository, args, { read: true })
  return result.ok ? parseLineMoves(result.stdout) : null
}

/** The person's own settings may say otherwise. */
const PREFIXES = ['--src-prefix=a/', '--dst-prefix=b/']

function place(remark: PullRemark, moves: Map<string, FileMoves> | null): PullRemark {
  if (moves === null) return { ...remark, isOutdated: true }
  const file = moves.get(remark.path!)
  if (file === undefined) return remark
  const line = file.path === null ? null : moveLine(file, remark.line!)
  if (line === null) return { ...remark, isOutdated: true }
  if (remark.startLine === null) return { ...remark, path: file.path, line }
  // Of several lines all must still be there, as many as before.
  const startLine = moveLine(file, remark.startLine)
  const isWhole = startLine !== null && areTogether(file, remark.startLine, remark.line!)
  return isWhole ? { ...remark, path: file.path, startLine, line } : { ...remark, isOutdated: true }
}

function areTogether(file: FileMoves, from: number, to: number): boolean {
  for (let line = from; line < to; line += 1) {
    const [here, next] = [moveLine(file, line), moveLine(file, line + 1)]
    if (here === null || next === null || next !== here + 1) return false
  }
  return true
}
