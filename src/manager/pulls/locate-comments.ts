// Where the comments on a pull request belong now: a push moves lines, and changes some of them.
import type { Pull, ReviewComment } from '../../contract/pull.ts'
import { type FileMoves, moveLine, parseLineMoves } from '../../core/git/move-line.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'

/** Older ones refer to a state that is no longer compared with. */
const MOST_COMMITS = 20

export async function locateComments(
  open: () => Repository,
  { headSha, comments }: Pick<Pull, 'headSha' | 'comments'>,
): Promise<ReviewComment[]> {
  const isOlder = ({ commit = headSha, path, line, isOutdated }: ReviewComment) =>
    !isOutdated && commit !== headSha && path !== undefined && line !== undefined
  const older = comments.filter(isOlder)
  if (older.length === 0) return [...comments]
  const repository = open()
  const commits = [...new Set(older.map(({ commit }) => commit!))].slice(-MOST_COMMITS)
  const moves = new Map(
    await Promise.all(commits.map(async (commit) => [commit, await readMoves(repository, commit, headSha)] as const)),
  )
  return comments.map((comment) => (isOlder(comment) ? locate(comment, moves.get(comment.commit!) ?? null) : comment))
}

/** null: the commit is gone. */
async function readMoves(repository: Repository, from: string, to: string): Promise<Map<string, FileMoves> | null> {
  const args = ['diff', '--unified=0', '--find-renames', '--no-ext-diff', '--no-textconv', ...PREFIXES, from, to, '--']
  const result = await tryGitOn(repository, args, { read: true })
  return result.ok ? parseLineMoves(result.stdout) : null
}

/** The person's own settings may say otherwise. */
const PREFIXES = ['--src-prefix=a/', '--dst-prefix=b/']

function locate(remark: ReviewComment, moves: Map<string, FileMoves> | null): ReviewComment {
  if (moves === null) return { ...remark, isOutdated: true }
  const file = moves.get(remark.path!)
  if (file === undefined) return remark
  const line = file.path === null ? null : moveLine(file, remark.line!)
  if (line === null) return { ...remark, isOutdated: true }
  if (remark.startLine === undefined) return { ...remark, path: file.path ?? undefined, line }
  // Of several lines all must still be there, as many as before.
  const startLine = moveLine(file, remark.startLine)
  const isWhole = startLine !== null && areTogether(file, remark.startLine, remark.line!)
  return isWhole ? { ...remark, path: file.path ?? undefined, startLine, line } : { ...remark, isOutdated: true }
}

function areTogether(file: FileMoves, from: number, to: number): boolean {
  for (let line = from; line < to; line += 1) {
    const [here, next] = [moveLine(file, line), moveLine(file, line + 1)]
    if (here === null || next === null || next !== here + 1) return false
  }
  return true
}
