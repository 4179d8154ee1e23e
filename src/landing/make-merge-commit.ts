// The commit that a merge would add to the base branch, created without touching any checkout or branch: of verified objects, in the
// vault, and brought into the repository whole.
import { AoError } from '../contract/errors.ts'
import type { MergeMethod } from '../contract/forges.ts'
import { forkProblem } from '../core/landing/merge-problem.ts'
import { readMergeBases } from '../git/merge-memory.ts'
import { gitOn, type Repository, tryGitOn } from '../git/repository.ts'
import { deliver } from '../git/vault/deliver.ts'
import { markComplete, type VerifiedRepository, verified } from '../git/vault/verified.ts'

export interface MergedPull {
  number: number
  title: string
  body: string
  /** Names of its branches. */
  head: string
  base: string
}

export interface MergeRequest {
  pull: MergedPull
  head: string
  base: string
  method: MergeMethod
  /** rebase: only what comes after this commit, too. */
  since?: string | undefined
  subject?: string | undefined
  body?: string | undefined
  /** Made again it is the same commit: its date is the latest of what it is made of. */
  steady?: boolean | undefined
  /** Asked about a conflict: the merged tree; null: it cannot be solved without somebody. */
  solve?: ((repository: Repository, pair: MergedPair) => Promise<string | null>) | undefined
  /** Asked first, also where git is content: two files of one number are no conflict for git. `why`: rules did not help. */
  resolve?:
    | ((vault: VerifiedRepository, pair: MergedPair) => Promise<{ tree: string } | { why: string } | null>)
    | undefined
}

export interface MergedPair {
  ours: string
  theirs: string
}

export async function makeMergeCommit(repository: Repository, request: MergeRequest): Promise<string> {
  const { base, method } = request
  const vault = await verifyChange(repository, request)
  const made = method === 'rebase' ? await rebase(vault, request) : await merge(vault, request)
  markComplete(vault, made)
  await deliver(vault, made, base)
  return made
}

/** Both sides, where they parted, and every commit that would become part of the base branch. Throws where that is not one change. */
export async function verifyChange(
  repository: Repository,
  request: { pull: Pick<MergedPull, 'number' | 'head' | 'base'>; head: string; base: string },
): Promise<VerifiedRepository> {
  const { head, base } = request
  const vault = await verified(repository, [base, head])
  const bases = await readMergeBases(vault, request)
  if (bases === null) throw new AoError('GIT_FAILED', `git could not compare ${head} with ${base}`)
  const problem = forkProblem(bases, request.pull)
  if (problem !== null)
    throw new AoError('PR_NOT_MERGEABLE', `Pull request ${request.pull.number} is not merged: ${problem.why}`, {
      hint: problem.hint,
      details: { number: request.pull.number, refusal: 'fork' },
    })
  const own = await gitOn(vault, ['rev-list', '--parents', `${base}..${head}`], { read: true })
  return verified(vault, [...bases, ...own.split(/\s+/).filter(Boolean)])
}

async function merge(vault: VerifiedRepository, request: MergeRequest): Promise<string> {
  const { head, base, method, steady } = request
  const tree = await mergeTrees(vault, { ours: base, theirs: head }, request)
  const parents = method === 'merge' ? [base, head] : [base]
  return commit(vault, { tree, parents, message: messageOf(request), like: head, steady })
}

/** The merged tree. Throws PR_NOT_MERGEABLE with the conflicting files. */
async function mergeTrees(
  vault: VerifiedRepository,
  pair: MergedPair,
  { pull, solve, resolve }: Pick<MergeRequest, 'pull' | 'solve' | 'resolve'>,
): Promise<string> {
  const resolved = (await resolve?.(vault, pair)) ?? null
  if (resolved && 'tree' in resolved) return resolved.tree
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', pair.ours, pair.theirs]
  const result = await tryGitOn(vault, args)
  const [tree = '', ...files] = result.stdout.split('\n').filter(Boolean)
  if (result.ok) return tree
  if (result.exitCode !== 1) return gitOn(vault, args)
  const solved = (await solve?.(vault, pair)) ?? null
  if (solved !== null) return solved
  throw new AoError(
    'PR_NOT_MERGEABLE',
    `Pull request ${pull.number} conflicts with ${pull.base}: ${files.join(', ')}`,
    {
      hint: `Merge ${pull.base} into ${pull.head} and solve the conflicts there`,
      details: { number: pull.number, files, why: resolved?.why },
    },
  )
}

/**
 * Replays each commit on top of the base. A twin of the base with the commit's own parent makes git take only its change.
 */
async function rebase(vault: VerifiedRepository, request: MergeRequest): Promise<string> {
  const { head, base, since, steady } = request
  const range = ['rev-list', '--reverse', '--topo-order', '--no-merges', '--parents', `${base}..${head}`]
  if (since !== undefined) range.push(`^${since}`)
  const lines = (await gitOn(vault, range, { read: true })).split('\n').filter(Boolean)
  let tip = base
  for (const line of lines) {
    const [one = '', parent = ''] = line.split(' ')
    const tipTree = (await gitOn(vault, ['rev-parse', `${tip}^{tree}`], { read: true })).trim()
    const twin = await commit(vault, { tree: tipTree, parents: [parent], message: 'twin', like: one })
    const tree = await mergeTrees(vault, { ours: twin, theirs: one }, request)
    // What the base already has adds nothing.
    if (tree === tipTree) continue
    const message = await gitOn(vault, ['log', '-1', '--format=%B', one], { read: true })
    tip = await commit(vault, { tree, parents: [tip], message, like: one, steady })
  }
  return tip
}

/** Would merging the head change the base by exactly what lies between `start` and the head, which somebody has seen? */
export async function addsTheSame(
  repository: Repository,
  { start, head, base }: { start: string; head: string; base: string },
): Promise<boolean> {
  const vault = await verified(repository, [start, head, base])
  const tree = (await gitOn(vault, ['rev-parse', `${base}^{tree}`], { read: true })).trim()
  const twin = await commit(vault, { tree, parents: [start], message: 'twin', like: head })
  const [merged, seen] = await Promise.all([tryMerge(vault, base, head), tryMerge(vault, twin, head)])
  return merged !== null && merged === seen
}

/** null: with conflicts. */
async function tryMerge(vault: VerifiedRepository, ours: string, theirs: string): Promise<string | null> {
  const result = await tryGitOn(vault, ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs])
  return result.ok ? result.stdout.trim() : null
}

function messageOf({ pull, method, subject, body }: MergeRequest): string {
  const title =
    method === 'merge' ? `Merge pull request #${pull.number} from ${pull.head}` : `${pull.title} (#${pull.number})`
  const text = body ?? (method === 'merge' ? pull.title : pull.body)
  return `${subject ?? title}\n\n${text}`.trimEnd()
}

interface CommitRequest {
  tree: string
  parents: string[]
  message: string
  /** Its author is the author of the new commit too. */
  like: string
  steady?: boolean | undefined
}

async function commit(
  vault: VerifiedRepository,
  { tree, parents, message, like, steady = false }: CommitRequest,
): Promise<string> {
  const [name = '', email = '', date = '', committer = '', committerEmail = ''] = (
    await gitOn(vault, ['log', '-1', '--format=%an%x00%ae%x00%ad%x00%cn%x00%ce', '--date=raw', like], {
      read: true,
    })
  )
    .trimEnd()
    .split('\0')
  const own = await identity(vault.source)
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
  const extraEnv: Record<string, string> = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    // Without a git identity, the author of the work also merges it.
    GIT_COMMITTER_NAME: own?.name ?? committer,
    GIT_COMMITTER_EMAIL: own?.email ?? committerEmail,
  }
  if (steady) extraEnv.GIT_COMMITTER_DATE = await latestDate(vault, [...parents, like])
  const made = await gitOn(vault, args, { input: `${message}\n`, extraEnv })
  return made.trim()
}

/** Of whoever merges, as the project's repository has it. null: none is set. */
async function identity(source: Repository): Promise<{ name: string; email: string } | null> {
  const { ok, stdout } = await tryGitOn(source, ['var', 'GIT_COMMITTER_IDENT'], { read: true })
  const [, name, email] = (ok && /^([^<\n]*) <([^>\n]*)> \d+ [+-]\d+$/.exec(stdout.trim())) || []
  return name === undefined || email === undefined ? null : { name, email }
}

async function latestDate(repository: Repository, commits: readonly string[]): Promise<string> {
  const args = ['log', '--no-walk=unsorted', '--format=%ct', ...commits]
  const seconds = (await gitOn(repository, args, { read: true })).split('\n').filter(Boolean).map(Number)
  return `${Math.max(...seconds)} +0000`
}
