// What a pull request changes, bounded: what a browser cannot show is not sent.
import type { CommitRow, DiffAnswer } from '../../contract/dashboard/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { commitLog, parseCommits } from '../../git/diff/commit-log.ts'
import { cutDiff } from '../../git/diff/cut-diff.ts'
import { commitDiff, type DiffRequest, diffFormat, diffPaths } from '../../git/diff/diff-request.ts'
import { fileInCommit } from '../../git/diff/image-at.ts'
import { gitOn, hasCommit, openRepository, tryGitOn } from '../../git/repository.ts'
import { type VerifiedRepository, verified } from '../../git/vault/verified.ts'
import { requireAbility } from '../../landing/read-pull.ts'
import type { DashboardContext } from '../server/context.ts'
import type { PullReading, ReadPull } from './pull-reading.ts'

interface Target {
  reading: PullReading
  read: ReadPull
}

interface Range {
  repository: VerifiedRepository
  from: string
  to: string
}

export async function diffOf(context: DashboardContext, target: Target, request: DiffRequest): Promise<DiffAnswer> {
  const range = await rangeOf(context, target)
  if (request.commit !== undefined) return diffOfCommit(range, { ...request, commit: request.commit })
  if (request.since !== undefined) return diffSince(range, target, { ...request, since: request.since })
  const { from, to } = range
  return { base: from, head: to, ...cutDiff(await readDiff(range, request)) }
}

/** A file of the diff before or after the change; null: it has none there. */
export async function fileOf(
  context: DashboardContext,
  target: Target,
  { side, path, ...request }: DiffRequest & { side: 'old' | 'new'; path: string },
): Promise<Buffer | null> {
  const range = await rangeOf(context, target)
  const { commonDir, env } = range.repository
  const { from, to } = await revisions(range, target, request)
  return fileInCommit(commonDir, { commit: side === 'old' ? from : to, path }, env)
}

async function revisions(range: Range, { read }: Target, { commit, since }: DiffRequest) {
  if (commit !== undefined) {
    await requireOwn(range, commit)
    return { from: `${commit}^`, to: commit }
  }
  if (since === undefined) return range
  if (!formerHeads(read).includes(since)) throw notPart(since)
  await verified(range.repository, [since])
  return { from: since, to: range.to }
}

export async function commitsOf(context: DashboardContext, target: Target): Promise<CommitRow[]> {
  const commits = await listCommits(await rangeOf(context, target))
  return commits.map(({ sha, subject, name, at }) => ({ sha, subject, author: name, at }))
}

/** Only a commit of the pull request can be asked for. */
async function diffOfCommit(range: Range, request: DiffRequest & { commit: string }): Promise<DiffAnswer> {
  const { commit } = request
  await requireOwn(range, commit)
  const diff = await gitOn(range.repository, commitDiff(commit, request), { read: true })
  return { base: `${commit}^`, head: commit, ...cutDiff(diff) }
}

/** Verified, with what it is compared with. */
async function requireOwn(range: Range, commit: string): Promise<void> {
  if (!(await listCommits(range)).some(({ sha }) => sha === commit)) throw notPart(commit)
  const listed = await gitOn(range.repository, ['rev-list', '--no-walk', '--parents', commit], { read: true })
  await verified(range.repository, listed.split(/\s+/).filter(Boolean))
}

/** Only since a commit that was reviewed or pushed. */
async function diffSince(range: Range, { read }: Target, request: DiffRequest & { since: string }) {
  const { since } = request
  if (!formerHeads(read).includes(since)) throw notPart(since)
  if (!(await hasCommit(range.repository.source, since))) {
    throw new AoError('SCM_FAILED', `The reviewed commit ${since.slice(0, 10)} is no longer on this machine`)
  }
  await verified(range.repository, [since])
  const base = await tryGitOn(range.repository, ['merge-base', since, range.to], { read: true })
  const others = await listCommits({ ...range, from: since })
  const own = new Set((await listCommits(range)).map(({ sha }) => sha))
  // Rebased, or the base branch was merged in.
  const includesBase = base.stdout.trim() !== since || others.some(({ sha }) => !own.has(sha))
  const diff = await readDiff({ ...range, from: since }, request)
  return { base: since, head: range.to, ...cutDiff(diff), includesBase }
}

function formerHeads({ pull }: ReadPull): string[] {
  return [...pull.reviews.flatMap(({ commit }) => commit ?? []), ...(pull.heads ?? [])]
}

function notPart(sha: string): AoError {
  return new AoError('USAGE', `${sha.slice(0, 10)} is not a commit of this pull request`, {
    hint: 'Load the page again',
  })
}

async function listCommits({ repository, from, to }: Range) {
  return parseCommits(await gitOn(repository, commitLog(from, to), { read: true }))
}

function readDiff({ repository, from, to }: Range, request: DiffRequest): Promise<string> {
  return gitOn(repository, ['diff', ...diffFormat(request), from, to, ...diffPaths(request)], { read: true })
}

async function rangeOf(context: DashboardContext, { reading, read }: Target): Promise<Range> {
  const { project, scm } = reading
  const range = await requireAbility({ scm, pr: read.pull.pr }, 'readRange')(read.pull, project)
  const { from, to } = range
  return { repository: await verified(openRepository(project.path, context.env), [from, to]), from, to }
}
