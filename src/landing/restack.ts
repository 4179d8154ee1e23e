// A branch and its worktree onto a commit that the work below has moved to: `git rebase --onto`, made of objects first, so that
// a conflict leaves nothing to undo. Files and index follow before the branch does: a process may die between any two steps,
// and what was announced is carried out again from wherever it stopped.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { gitFailure, runGit, tryGit } from '../git/git.ts'
import { locateGit, readHead } from '../git/git-dir.ts'
import { gitOn, type Repository, resolveRef, tryGitOn } from '../git/repository.ts'
import { verified } from '../git/vault/verified.ts'
import { failpoint } from '../lib/failpoint.ts'
import { syncFileSystems } from '../lib/sync-file-systems.ts'
import { ensureCommit, pushBranch, type Remote, readTips } from './hosted/remote-branches.ts'
import { makeMergeCommit } from './make-merge-commit.ts'

export interface StackedBranch {
  repository: Repository
  sessionId: string
  branch: string
  worktree: string
}

export interface Move {
  onto: string
  from: string
  to: string
}

/** conflict: in these files. unable: why it cannot be done from here. */
export type PlannedMove =
  | { kind: 'move'; move: Move }
  | { kind: 'conflict'; files: string[] }
  | { kind: 'unable'; why: string }

/** Makes the commits; no branch and no file is touched. */
export async function planMove(
  of: StackedBranch,
  { at, onto, from }: { at: string; onto: string; from: string },
): Promise<PlannedMove> {
  const why = whyNot(of)
  if (why !== null) return { kind: 'unable', why }
  const pull = { number: 0, title: '', body: '', head: of.branch, base: onto.slice(0, 10) }
  try {
    const request = { pull, head: from, base: onto, since: at, method: 'rebase', steady: true } as const
    const to = await makeMergeCommit(of.repository, request)
    const trial = await moveFiles(of, { from, to }, ['--dry-run'])
    if (trial !== null) return { kind: 'unable', why: `uncommitted work is in the way: ${trial}` }
    return { kind: 'move', move: { onto, from, to } }
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'PR_NOT_MERGEABLE') throw error
    const { files } = error.details as { files?: string[] }
    return files ? { kind: 'conflict', files } : { kind: 'unable', why: error.message }
  }
}

const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply', 'BISECT_LOG']

/** null: nothing is in the way. */
function whyNot({ repository, worktree, branch }: StackedBranch): string | null {
  const location = locateGit(worktree)
  if (location === null || location.commonDir !== repository.commonDir)
    return 'its workspace is not a worktree of the repository'
  if (readHead(worktree).branch !== branch) return `its workspace is not on ${branch}`
  const isUnfinished = UNFINISHED.some((name) => existsSync(join(location.gitDir, name)))
  return isUnfinished ? 'an operation of git is not finished there' : null
}

/**
 * Announced before. done: the branch is at `to`, and so are index and files, with what was not committed in them. moved: the
 * branch is elsewhere, so that the move no longer holds. refused: nothing was changed.
 */
export async function carryOut(
  of: StackedBranch,
  move: Move,
): Promise<{ kind: 'done' } | { kind: 'moved' } | { kind: 'refused'; why: string }> {
  const { repository, branch, worktree } = of
  const { from, to } = move
  const ref = `refs/heads/${branch}`
  const tip = await resolveRef(repository, ref)
  if (tip === to) return { kind: 'done' }
  if (tip !== from) return { kind: 'moved' }
  const why = whyNot(of)
  if (why !== null) return { kind: 'refused', why }
  await keepBefore(of, from)
  failpoint('restack.kept')
  const refused = await moveFiles(of, move)
  if (refused !== null) return { kind: 'refused', why: refused }
  failpoint('restack.files')
  const message = `ao: restack onto ${move.onto.slice(0, 10)}`
  const moved = await tryGitOn(repository, ['update-ref', '-m', message, ref, to, from])
  if (!moved.ok && (await resolveRef(repository, ref)) !== to) return { kind: 'moved' }
  await syncFileSystems([repository.commonDir, worktree])
  failpoint('restack.moved')
  return { kind: 'done' }
}

/** The branch as it was, and what was not committed, under a ref of its own until the next time. */
async function keepBefore({ repository, sessionId, worktree }: StackedBranch, from: string): Promise<void> {
  const { env } = repository
  const stashed = (await runGit(worktree, ['stash', 'create', 'before a restack'], { env })).trim()
  await gitOn(repository, ['update-ref', `refs/ao/restack/${sessionId}`, stashed === '' ? from : stashed])
}

/** null: done. Otherwise why git refuses, and nothing was changed. Done again it is the same. */
async function moveFiles(
  { repository, worktree }: StackedBranch,
  { from, to }: Pick<Move, 'from' | 'to'>,
  options: readonly string[] = [],
): Promise<string | null> {
  const { env } = repository
  const vault = await verified(repository, [from, to])
  await tryGit(worktree, ['update-index', '-q', '--refresh'], { env })
  const args = ['read-tree', '-m', '-u', ...options, from, to]
  const extraEnv = { GIT_OBJECT_DIRECTORY: join(vault.commonDir, 'objects') }
  const result = await tryGit(worktree, args, { env, extraEnv })
  if (result.ok) return null
  if (result.exitCode === 128) return result.stderr.trim().split('\n')[0] ?? ''
  throw gitFailure(worktree, args, result)
}

/**
 * Replaces what the session itself had pushed, and nothing else: the lease is on the commit that the forge has now, and only one that the
 * session held before. null: the forge has it, or none of the branch. Otherwise why it was not pushed; what is there is kept.
 */
export async function pushMoved(remote: Remote, branch: string, { from, to }: Move): Promise<string | null> {
  const there = (await readTips(remote, [branch])).get(branch)
  if (there === undefined || there === to) return null
  const foreign = await whyForeign(remote, branch, { there, own: from })
  if (foreign !== null) {
    // Pushed before a process died, and others have continued on it.
    if ((await ensureCommit(remote, there, branch)) && (await isBelow(remote.repository, to, there))) return null
    return foreign
  }
  const pushed = await pushBranch(remote, branch, { to, expected: there })
  if (pushed.kind === 'done') return null
  return pushed.kind === 'moved' ? `somebody else pushed to ${branch} meanwhile` : `the forge refused it: ${pushed.why}`
}

/** null: everything that the forge has on its branch is in the session's own history. */
export async function whyForeign(
  remote: Remote,
  branch: string,
  { there, own }: { there: string | undefined; own: string },
): Promise<string | null> {
  if (there === undefined) return null
  const isOwn = (await ensureCommit(remote, there, branch)) && (await isBelow(remote.repository, there, own))
  return isOwn ? null : `the forge has ${there.slice(0, 10)} on ${branch}, which is not in it here`
}

/** Is `older` in the history of `newer`? */
export async function isBelow(repository: Repository, older: string, newer: string): Promise<boolean> {
  return (
    older === newer || (await tryGitOn(repository, ['merge-base', '--is-ancestor', older, newer], { read: true })).ok
  )
}
