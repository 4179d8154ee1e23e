// The git side of a train on a forge elsewhere: the base branch and the branches `ao/train/*` of the remote. Every push names
// what it expects to replace, so that nobody's commits are overwritten.
import { AoError } from '../../contract/errors.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { lastLines } from '../../git/git.ts'
import { type CommitPair, readMergeBases } from '../../git/merge-memory.ts'
import { gitOn, hasCommit, type Repository, tryGitOn } from '../../git/repository.ts'
import { verified } from '../../git/vault/verified.ts'

export const TRAIN_BRANCHES = 'ao/train/'

export interface Remote {
  repository: Repository
  /** Usually `origin`. */
  name: string
}

export interface RemoteState {
  /** null: there is no such branch. */
  base: string | null
  /** By branch: those below `ao/train/`. */
  train: Map<string, string>
}

const NETWORK_MS = 60_000

export async function readRemote(remote: Remote, branch: string): Promise<RemoteState> {
  const tips = await readTips(remote, [branch, `${TRAIN_BRANCHES}*`])
  const train = new Map([...tips].filter(([one]) => one.startsWith(TRAIN_BRANCHES)))
  return { base: tips.get(branch) ?? null, train }
}

/** By branch, as the remote has them now: one question. A branch that it does not have is not in the answer. */
export async function readTips(
  { repository, name }: Remote,
  branches: readonly string[],
): Promise<Map<string, string>> {
  const args = ['ls-remote', '--', name, ...branches.map((branch) => `refs/heads/${branch}`)]
  const listed = await gitOn(repository, args, { read: true, timeoutMs: NETWORK_MS })
  return new Map(
    listed
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t') as [string, string])
      .map(([sha, ref]) => [ref.replace(/^refs\/heads\//, ''), sha]),
  )
}

/** The branch as the remote has it now. Refs of this repository are what agents write there. Throws when it cannot be had. */
export async function fetchTip(remote: Remote, branch: string): Promise<string> {
  const { base } = await readRemote(remote, branch)
  if (base !== null && (await ensureCommit(remote, base, branch))) return base
  throw new AoError('SCM_FAILED', `The branch ${branch} could not be fetched from ${remote.name}`, {
    hint: `See what is there with: git ls-remote ${remote.name} 'refs/heads/*'`,
    details: { branch, remote: remote.name },
  })
}

/** The commit that a change starts from, both sides being here. null: they have nothing in common. */
export async function startOfChange(repository: Repository, pair: CommitPair): Promise<string | null> {
  const vault = await verified(repository, [pair.base, pair.head])
  return (await readMergeBases(vault, pair))?.[0] ?? null
}

/** false: it is neither here nor at the tip of that branch or ref. */
export async function ensureCommit(
  remote: Remote,
  commit: string,
  branch: string | undefined,
  ref?: string,
): Promise<boolean> {
  if (await hasCommit(remote.repository, commit)) return true
  const own = branch !== undefined && isSafeBranch(branch) ? [`refs/heads/${branch}`] : []
  for (const one of ref === undefined ? own : [ref, ...own]) {
    await fetchRef(remote, one)
    if (await hasCommit(remote.repository, commit)) return true
  }
  // Forges give every commit that is reachable from one of their refs, so those of forks too.
  await fetchRef(remote, commit)
  return hasCommit(remote.repository, commit)
}

async function fetchRef({ repository, name }: Remote, what: string): Promise<void> {
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--', name, what]
  await tryGitOn(repository, args, { timeoutMs: NETWORK_MS })
}

/** Is `older` in the history of `newer`? */
export async function contains({ repository }: Remote, newer: string, older: string): Promise<boolean> {
  return (await tryGitOn(repository, ['merge-base', '--is-ancestor', older, newer], { read: true })).ok
}

/** moved: the branch is not what was expected. refused: the forge does not take it. */
export type PushResult = { kind: 'done' } | { kind: 'moved' } | { kind: 'refused'; why: string }

/** `to` null: removes the branch. `expected` null: there must be none. */
export async function pushBranch(
  { repository, name }: Remote,
  branch: string,
  { to, expected }: { to: string | null; expected: string | null },
): Promise<PushResult> {
  const ref = `refs/heads/${branch}`
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-recurse-submodules',
    lease,
    '--',
    name,
    `${to ?? ''}:${ref}`,
  ]
  const result = await tryGitOn(repository, args, { timeoutMs: NETWORK_MS })
  if (result.ok) return { kind: 'done' }
  const line = result.stdout.split('\n').find((one) => one.startsWith('!')) ?? ''
  if (/\[remote rejected\]/.test(line)) return { kind: 'refused', why: lastLines(`${result.stderr}\n${line.slice(1)}`) }
  if (/\[rejected\]/.test(line)) return { kind: 'moved' }
  throw new AoError('GIT_FAILED', `git push to ${name} failed: ${lastLines(result.stderr)}`, {
    hint: `Try it yourself: git push --dry-run ${name} HEAD:refs/heads/${TRAIN_BRANCHES}0`,
    details: { branch, stderr: lastLines(result.stderr) },
  })
}

/** null: it may. Contacts the remote, and changes nothing there. */
export async function whyNoPush({ repository, name }: Remote, commit: string): Promise<string | null> {
  const args = ['push', '--dry-run', '--porcelain', '--no-verify', '--no-recurse-submodules', '--', name]
  const result = await tryGitOn(repository, [...args, `${commit}:refs/heads/${TRAIN_BRANCHES}0`], {
    timeoutMs: NETWORK_MS,
  })
  return result.ok ? null : lastLines(result.stderr) || 'git push failed'
}
