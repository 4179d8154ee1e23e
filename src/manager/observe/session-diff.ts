// What a session's branch changes against its target branch, including uncommitted work. Reads only: the agent's own index
// is copied, never touched.
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CommitRow, DiffAnswer } from '../../contract/dashboard/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { commitLog, parseCommits } from '../../git/diff/commit-log.ts'
import { cutDiff } from '../../git/diff/cut-diff.ts'
import { commitDiff, type DiffRequest, diffFormat, diffPaths } from '../../git/diff/diff-request.ts'
import { showHiddenText } from '../../git/diff/hidden-text.ts'
import { fileInCheckout, fileInCommit } from '../../git/diff/image-at.ts'
import { runGit, tryGit } from '../../git/git.ts'
import { MAX_FOREIGN_BYTES, readBytes } from '../../lib/plain-file.ts'
import { removeTree } from '../../lib/remove.ts'
import { type ManagerContext, projectOfSession, requireProject } from '../context.ts'

interface Range {
  directory: string
  base: string
  head: string
}

const GIT_MS = 20_000

export async function diffSession(
  context: ManagerContext,
  session: Session,
  request: DiffRequest = {},
): Promise<DiffAnswer> {
  const { env } = context
  const range = await rangeOf(context, session)
  if (!range) return { base: '', head: '', diff: '', truncated: false }
  const { directory, base, head } = range
  if (request.commit !== undefined) {
    await requireCommit(range, request.commit, env)
    const diff = await readShown(directory, commitDiff(request.commit, request), env)
    return { base: `${request.commit}^`, head: request.commit, ...cutDiff(diff) }
  }
  if (request.uncommitted) {
    const diff = range.isCheckedOut ? await withUncommitted(range, { ...request, since: head }, env) : ''
    return { base: head, head, ...cutDiff(diff) }
  }
  const revisions = { ...request, since: base }
  const diff = range.isCheckedOut
    ? await withUncommitted(range, revisions, env)
    : await readDiff(directory, [base, head], request, env)
  return { base, head, ...cutDiff(diff) }
}

/** From the committed work of one session to that of another. null: one has no branch here, or their commits are apart. */
export async function diffWork(context: ManagerContext, from: Session, to: Session): Promise<DiffAnswer | null> {
  const { env } = context
  const [one, other] = [await rangeOf(context, from), await rangeOf(context, to)]
  if (!one || !other) return null
  const { directory, head } = other
  const isHere = await tryGit(directory, ['cat-file', '-e', `${one.head}^{commit}`], { env, read: true })
  if (!isHere.ok) return null
  return { base: one.head, head, ...cutDiff(await readDiff(directory, [one.head, head], {}, env)) }
}

/** A file of its diff before or after the change; null: it has none there. */
export async function sessionFile(
  context: ManagerContext,
  session: Session,
  { side, path, ...request }: DiffRequest & { side: 'old' | 'new'; path: string },
): Promise<Buffer | null> {
  const { env } = context
  const range = await rangeOf(context, session)
  if (!range) return null
  const { directory, base, head, isCheckedOut } = range
  if (request.commit !== undefined) {
    await requireCommit(range, request.commit, env)
    return fileInCommit(directory, { commit: side === 'old' ? `${request.commit}^` : request.commit, path }, env)
  }
  if (side === 'old') return fileInCommit(directory, { commit: request.uncommitted ? head : base, path }, env)
  return isCheckedOut ? fileInCheckout(directory, path) : fileInCommit(directory, { commit: head, path }, env)
}

/** The commits of its branch, oldest first. */
export async function sessionCommits(context: ManagerContext, session: Session): Promise<CommitRow[]> {
  const range = await rangeOf(context, session)
  if (!range) return []
  const log = await git(range.directory, commitLog(range.base, range.head), context.env)
  return parseCommits(log).map(({ sha, subject, name, at }) => ({ sha, subject, author: name, at }))
}

async function rangeOf(context: ManagerContext, session: Session): Promise<(Range & { isCheckedOut: boolean }) | null> {
  const { path, defaultBranch } = projectOfSession(requireProject(context, session.projectId), recordOf(session))
  if (session.workspacePath !== null && existsSync(join(session.workspacePath, '.git'))) {
    const range = await findRange(session.workspacePath, 'HEAD', defaultBranch, context.env)
    if (range) return { ...range, isCheckedOut: true }
  }
  const range = session.branch && (await findRange(path, session.branch, defaultBranch, context.env))
  return range ? { ...range, isCheckedOut: false } : null
}

/** Only what the session made can be asked for. */
async function requireCommit({ directory, base, head }: Range, sha: string, env: NodeJS.ProcessEnv): Promise<void> {
  const listed = parseCommits(await git(directory, commitLog(base, head), env))
  if (listed.some((one) => one.sha === sha)) return
  throw new AoError('USAGE', `${sha.slice(0, 10)} is not a commit of this session`, { hint: 'Load the page again' })
}

/** From the merge base with the base branch. null: the branch no longer exists here. */
async function findRange(
  directory: string,
  revision: string,
  baseBranch: string,
  env: NodeJS.ProcessEnv,
): Promise<Range | null> {
  const read = async (...args: string[]) => {
    const result = await tryGit(directory, args, { env, read: true, timeoutMs: GIT_MS })
    return result.ok ? result.stdout.trim() : null
  }
  const head = await read('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)
  if (head === null) return null
  // The fetched branch may be newer than the local one of the same name, or the other way round: the nearer one counts.
  const bases: Array<{ base: string; distance: number }> = []
  for (const ref of [`refs/heads/${baseBranch}`, `refs/remotes/origin/${baseBranch}`]) {
    const base = await read('merge-base', ref, head)
    if (base) bases.push({ base, distance: Number(await read('rev-list', '--count', `${base}..${head}`)) })
  }
  const nearest = bases.sort((a, b) => a.distance - b.distance)[0]
  return { directory, base: nearest?.base ?? head, head }
}

/** New files belong to the work too: they are added to a copy of the index. */
async function withUncommitted(
  { directory }: Range,
  request: DiffRequest & { since: string },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'ao-diff-'))
  try {
    const index = resolve(directory, (await git(directory, ['rev-parse', '--git-path', 'index'], env)).trim())
    const copy = join(scratch, 'index')
    if (existsSync(index)) writeFileSync(copy, readBytes(index, { maxBytes: MAX_FOREIGN_BYTES }))
    const extraEnv = { GIT_INDEX_FILE: copy }
    await git(directory, ['add', '--intent-to-add', '--all', '--', '.'], env, extraEnv)
    return await readDiff(directory, [request.since], request, env, extraEnv)
  } finally {
    removeTree(scratch)
  }
}

function readDiff(
  directory: string,
  revisions: string[],
  request: DiffRequest,
  env: NodeJS.ProcessEnv,
  extraEnv?: Record<string, string>,
): Promise<string> {
  return readShown(directory, ['diff', ...diffFormat(request), ...revisions, ...diffPaths(request)], env, extraEnv)
}

/** With text that attributes, which the agent can write, would hide. */
async function readShown(
  directory: string,
  [command = '', ...args]: string[],
  env: NodeJS.ProcessEnv,
  extraEnv?: Record<string, string>,
): Promise<string> {
  const diff = await git(directory, [command, ...args], env, extraEnv)
  return showHiddenText(diff, async () => {
    const result = await tryGit(directory, [command, '--text', ...args], {
      ...{ env, read: true, timeoutMs: GIT_MS },
      ...(extraEnv && { extraEnv }),
    }).catch(() => null)
    return result?.ok ? result.stdout : null
  })
}

function git(
  directory: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  extraEnv: Record<string, string> = {},
): Promise<string> {
  return runGit(directory, args, { env, read: true, extraEnv, timeoutMs: GIT_MS })
}
