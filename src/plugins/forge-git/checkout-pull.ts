// Switches a workspace to the branch of a pull request. Refuses rather than touch work that is unsaved or missing.
import { AoError } from '../../contract/errors.ts'
import { parseRemote } from '../../core/forge/parse-remote.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { runGit, tryGit } from '../../git/git.ts'

export interface PullCheckout {
  workspacePath: string
  env: NodeJS.ProcessEnv
  /** What people call it, for messages: `#42`. */
  label: string
  /** `owner/name` on the forge; the remote that has it is fetched from. */
  repo: string
  branch: string
  /** Where the forge keeps the head of a pull request from a fork; null: the branch is the repository's own. */
  forkRef: string | null
  defaultBranch: string
}

/** false: it was already there, with everything the forge has. */
export async function checkoutPull(pull: PullCheckout): Promise<boolean> {
  requireUsableBranch(pull)
  const git = (...args: string[]) => runGit(pull.workspacePath, args, { env: pull.env, hooks: false })
  const head = await fetchHead(pull)
  const before = await currentBranch(pull)
  const local = await commitOf(pull, `refs/heads/${pull.branch}`)
  const arrived = local !== null && (await contains(pull, local, head.commit))
  if (before === pull.branch && arrived) return false
  await requireClean(pull)
  if (local === null) {
    const tracking = pull.forkRef === null ? ['--track'] : ['--no-track']
    await git('switch', '--quiet', '--create', pull.branch, ...tracking, head.ref)
    return true
  }
  if (!arrived && !(await contains(pull, head.commit, local))) throw diverged(pull)
  if (before !== pull.branch) await switchTo(pull)
  if (!arrived) await git('merge', '--quiet', '--ff-only', head.commit)
  return true
}

function requireUsableBranch({ branch, label, forkRef, defaultBranch }: PullCheckout): void {
  if (!isSafeBranch(branch)) {
    throw new AoError('SCM_FAILED', `The branch ${JSON.stringify(branch)} of ${label} is not a usable name`)
  }
  if (forkRef === null || branch !== defaultBranch) return
  throw new AoError('SCM_FAILED', `${label} comes from the branch ${branch} of a fork, which is the name of your own`, {
    hint: 'Ask for the pull request from a branch with another name',
  })
}

async function fetchHead(pull: PullCheckout): Promise<{ ref: string; commit: string }> {
  const remote = await findRemote(pull)
  const number = pull.label.replace(/[^0-9]/g, '')
  const source = pull.forkRef ?? `refs/heads/${pull.branch}`
  const ref = pull.forkRef === null ? `refs/remotes/${remote}/${pull.branch}` : `refs/ao/pull/${number}`
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', remote, `+${source}:${ref}`]
  await runGit(pull.workspacePath, args, { env: pull.env })
  const commit = await commitOf(pull, ref)
  if (commit === null) throw new AoError('GIT_FAILED', `${remote} has no commit for ${pull.label}`)
  return { ref, commit }
}

async function findRemote({ workspacePath, env, repo, label }: PullCheckout): Promise<string> {
  const listed = await tryGit(workspacePath, ['config', '--null', '--get-regexp', '^remote\\..*\\.url$'], {
    env,
    read: true,
  })
  const remotes = listed.stdout
    .split('\0')
    .filter(Boolean)
    .map((line) => ({
      name: line.slice('remote.'.length, line.indexOf('\n') - '.url'.length),
      url: line.slice(line.indexOf('\n') + 1),
    }))
  const same = remotes.find(({ url }) => parseRemote(url)?.repo.toLowerCase() === repo.toLowerCase())
  const chosen = same ?? remotes.find(({ name }) => name === 'origin')
  if (chosen) return chosen.name
  throw new AoError('GIT_FAILED', `${workspacePath} has no remote to fetch ${label} of ${repo} from`, {
    hint: `Add one with: git -C '${workspacePath}' remote add origin <url>`,
  })
}

async function currentBranch({ workspacePath, env }: PullCheckout): Promise<string | null> {
  const result = await tryGit(workspacePath, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { env, read: true })
  return result.ok ? result.stdout.trim() : null
}

async function commitOf({ workspacePath, env }: PullCheckout, ref: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]
  const result = await tryGit(workspacePath, args, { env, read: true })
  return result.ok ? result.stdout.trim() : null
}

/** Is `older` in the history of `newer`? */
async function contains({ workspacePath, env }: PullCheckout, newer: string, older: string): Promise<boolean> {
  const result = await tryGit(workspacePath, ['merge-base', '--is-ancestor', older, newer], { env, read: true })
  return result.ok
}

async function requireClean({ workspacePath, env, label }: PullCheckout): Promise<void> {
  const status = await runGit(workspacePath, ['status', '--porcelain'], { env, read: true })
  const changed = status.split('\n').filter(Boolean)
  if (changed.length === 0) return
  const files = changed.slice(0, 5).map((line) => line.slice(3))
  throw new AoError(
    'WORKSPACE_NOT_SAVED',
    `${workspacePath} has uncommitted changes (${files.join(', ')}), so it cannot go to ${label}`,
    { hint: `Commit or remove them first: git -C '${workspacePath}' status`, details: { workspacePath, files } },
  )
}

async function switchTo(pull: PullCheckout): Promise<void> {
  const result = await tryGit(pull.workspacePath, ['switch', '--quiet', pull.branch], { env: pull.env })
  if (result.ok) return
  const elsewhere = /(?:already (?:used by worktree|checked out)) at '([^']+)'/.exec(result.stderr)?.[1]
  throw new AoError(
    elsewhere === undefined ? 'GIT_FAILED' : 'BRANCH_TAKEN',
    elsewhere === undefined
      ? `${pull.workspacePath} could not switch to ${pull.branch}: ${result.stderr.trim()}`
      : `The branch ${pull.branch} of ${pull.label} is checked out in ${elsewhere}`,
    { hint: `Free it first: git -C '${elsewhere ?? pull.workspacePath}' switch --detach` },
  )
}

function diverged({ branch, label, workspacePath }: PullCheckout): AoError {
  return new AoError('GIT_FAILED', `The local branch ${branch} and ${label} have different commits`, {
    hint: `Bring them together first: git -C '${workspacePath}' log --oneline ${branch}`,
    details: { branch, label },
  })
}
