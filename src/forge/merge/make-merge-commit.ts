// The commit that a merge would add to the base branch, created without touching any checkout or branch.
import { AoError } from '../../contract/errors.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import type { LocalPull } from '../pulls/pull-events.ts'

export type MergedPull = Pick<LocalPull, 'number' | 'title' | 'body' | 'head' | 'base'>

export interface MergeRequest {
  pull: MergedPull
  head: string
  base: string
  method: MergeMethod
  subject?: string | undefined
  body?: string | undefined
  /** Made again it is the same commit: its date is the latest of what it is made of. */
  steady?: boolean | undefined
  /** Asked about a conflict: the merged tree; null: it cannot be solved without somebody. */
  solve?: ((ours: string, theirs: string) => Promise<string | null>) | undefined
}

export async function makeMergeCommit(repository: Repository, request: MergeRequest): Promise<string> {
  if (request.method === 'rebase') return rebase(repository, request)
  const { head, base, method } = request
  const tree = await mergeTrees(repository, base, head, request)
  await requireShown(repository, request, tree)
  const parents = method === 'merge' ? [base, head] : [base]
  return commit(repository, { tree, parents, message: messageOf(request), like: head, steady: request.steady })
}

/** The merged tree. Throws PR_NOT_MERGEABLE with the conflicting files. */
async function mergeTrees(
  repository: Repository,
  ours: string,
  theirs: string,
  { pull, solve }: Pick<MergeRequest, 'pull' | 'solve'>,
): Promise<string> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs]
  const result = await tryGitOn(repository, args)
  const [tree = '', ...files] = result.stdout.split('\n').filter(Boolean)
  if (result.ok) return tree
  if (result.exitCode !== 1) return gitOn(repository, args)
  const solved = (await solve?.(ours, theirs)) ?? null
  if (solved !== null) return solved
  throw new AoError(
    'PR_NOT_MERGEABLE',
    `Pull request ${pull.number} conflicts with ${pull.base}: ${files.join(', ')}`,
    {
      hint: `Merge ${pull.base} into ${pull.head} and solve the conflicts there`,
      details: { number: pull.number, files },
    },
  )
}

/**
 * A diff is shown from one merge base. Where histories cross there are several, and git merges from all of them: a merge that
 * left out what the base branch has would undo it, and no diff would show that.
 */
async function requireShown(repository: Repository, { pull, base, head }: MergeRequest, tree: string): Promise<void> {
  const bases = (await tryGitOn(repository, ['merge-base', '--all', base, head], { read: true })).stdout.split('\n')
  const [shown = '', ...others] = bases.filter(Boolean)
  if (others.length === 0) return
  const twin = async (one: string) =>
    commit(repository, {
      tree: (await gitOn(repository, ['rev-parse', `${one}^{tree}`], { read: true })).trim(),
      parents: [shown],
      message: 'twin',
      like: one,
    })
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', await twin(base), await twin(head)]
  const merged = await tryGitOn(repository, args)
  if (merged.ok && merged.stdout.trim() === tree) return
  throw new AoError(
    'PR_NOT_MERGEABLE',
    `Pull request ${pull.number} would change more than its diff shows: its history crosses that of ${pull.base}`,
    { hint: `Merge ${pull.base} into ${pull.head} and review it again`, details: { number: pull.number } },
  )
}

/**
 * Replays each commit on top of the base. A twin of the base with the commit's own parent makes git take only its change.
 */
async function rebase(repository: Repository, request: MergeRequest): Promise<string> {
  const { head, base, steady } = request
  const range = ['rev-list', '--reverse', '--topo-order', '--no-merges', '--parents', `${base}..${head}`]
  const lines = (await gitOn(repository, range, { read: true })).split('\n').filter(Boolean)
  let tip = base
  for (const line of lines) {
    const [one = '', parent = ''] = line.split(' ')
    const tipTree = (await gitOn(repository, ['rev-parse', `${tip}^{tree}`], { read: true })).trim()
    const twin = await commit(repository, { tree: tipTree, parents: [parent], message: 'twin', like: one })
    const tree = await mergeTrees(repository, twin, one, request)
    // What the base already has adds nothing.
    if (tree === tipTree) continue
    const message = await gitOn(repository, ['log', '-1', '--format=%B', one], { read: true })
    tip = await commit(repository, { tree, parents: [tip], message, like: one, steady })
  }
  return tip
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
  repository: Repository,
  { tree, parents, message, like, steady = false }: CommitRequest,
): Promise<string> {
  const [name = '', email = '', date = '', committer = '', committerEmail = ''] = (
    await gitOn(repository, ['log', '-1', '--format=%an%x00%ae%x00%ad%x00%cn%x00%ce', '--date=raw', like], {
      read: true,
    })
  )
    .trimEnd()
    .split('\0')
  const hasIdentity = (await tryGitOn(repository, ['var', 'GIT_COMMITTER_IDENT'], { read: true })).ok
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
  const extraEnv: Record<string, string> = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    // Without a git identity, the author of the work also merges it.
    ...(hasIdentity ? {} : { GIT_COMMITTER_NAME: committer, GIT_COMMITTER_EMAIL: committerEmail }),
  }
  if (steady) extraEnv.GIT_COMMITTER_DATE = await latestDate(repository, [...parents, like])
  const made = await gitOn(repository, args, { input: `${message}\n`, extraEnv })
  return made.trim()
}

async function latestDate(repository: Repository, commits: readonly string[]): Promise<string> {
  const args = ['log', '--no-walk=unsorted', '--format=%ct', ...commits]
  const seconds = (await gitOn(repository, args, { read: true })).split('\n').filter(Boolean).map(Number)
  return `${Math.max(...seconds)} +0000`
}
