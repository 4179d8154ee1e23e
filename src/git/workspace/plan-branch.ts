// Where the branch of a new workspace comes from. Reads only.
import { AoError } from '../../contract/errors.ts'
import type { WorkspaceSpec } from '../../slots/workspace.ts'
import { branchNames, type Repository, resolveRef } from '../repository.ts'
import { readRescueCommit } from '../rescue/rescue-commit.ts'
import { openRescue } from '../rescue/rescue-refs.ts'

export interface BranchPlan {
  /** false: the branch already exists and is used as it is. */
  isNew: boolean
  /** Full name of the ref it starts from; the branch itself when it exists. */
  from: string
  /** The commit it starts from. */
  tip: string
}

/** The branch itself, else the one on origin, else the default branch as origin has it, else the local default branch. */
export async function planBranch(repository: Repository, branch: string, defaultBranch: string): Promise<BranchPlan> {
  const own = `refs/heads/${branch}`
  const candidates = [
    own,
    `refs/remotes/origin/${branch}`,
    `refs/remotes/origin/${defaultBranch}`,
    `refs/heads/${defaultBranch}`,
  ]
  for (const from of candidates) {
    const tip = await resolveRef(repository, from)
    if (tip !== null) return { isNew: from !== own, from, tip }
  }
  throw await noBase(repository, defaultBranch)
}

async function noBase(repository: Repository, defaultBranch: string): Promise<AoError> {
  const names = await branchNames(repository)
  if (names.length === 0) {
    return new AoError('WORKSPACE_FAILED', `The repository ${repository.commonDir} has no commit yet`, {
      hint: 'Make a first commit, for example: git commit --allow-empty -m start',
    })
  }
  const there = names.join(', ')
  return new AoError('WORKSPACE_FAILED', `There is no branch ${defaultBranch} to start from; there are: ${there}`, {
    hint: `Set defaultBranch of the project to one of them: ${there}`,
    details: { defaultBranch, branches: names },
  })
}

/** For a recreated workspace: the branch, then the commit its rescue was based on, then as for a new one. */
export async function planRestoredBranch(
  repository: Repository,
  spec: WorkspaceSpec,
  fetch: () => Promise<void>,
): Promise<BranchPlan> {
  const own = `refs/heads/${spec.branch}`
  const tip = await resolveRef(repository, own)
  if (tip !== null) return { isNew: false, from: own, tip }
  const rescue = await openRescue(repository, spec.sessionId)
  const parts = rescue && (await readRescueCommit(repository, rescue.commit))
  if (parts?.head && parts.headRef === own) return { isNew: true, from: parts.head, tip: parts.head }
  await fetch()
  return planBranch(repository, spec.branch, spec.project.defaultBranch)
}

/** The session's own branch is gone: it starts again, perhaps without its commits, which the user must know. */
export function noteNewBranch({ branch, onProgress, onNotice }: WorkspaceSpec, { from, tip }: BranchPlan): void {
  if (from === tip)
    onProgress?.(`The branch ${branch} is gone; it starts again from the commit its saved work stood on`)
  else (onNotice ?? onProgress)?.(`The branch ${branch} is gone; it starts again from ${from}`)
}
