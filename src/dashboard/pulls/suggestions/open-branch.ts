// The branch of a pull request on this machine: where it is, where it is checked out, and whose it is.
import { recordOf } from '../../../contract/record.ts'
import type { SuggestionFacts } from '../../../core/forge/suggestion-way.ts'
import { isSafeBranch } from '../../../core/session/name-branch.ts'
import { whereCheckedOut } from '../../../git/checkouts.ts'
import { runGit } from '../../../git/git.ts'
import { locateGit } from '../../../git/git-dir.ts'
import { openRepository, type Repository, resolveRef } from '../../../git/repository.ts'
import { readProjectRemote } from '../../../git/transfer/project-remote.ts'
import type { Remote } from '../../../landing/hosted/remote-branches.ts'
import type { PullTarget } from '../pull-change.ts'

export interface PullBranch extends Omit<SuggestionFacts, 'head'> {
  repository: Repository
  name: string
  /** null: it is checked out nowhere. */
  checkout: string | null
  /** Where it has to be pushed; null: nowhere. */
  remote: Remote | null
}

export async function openBranch({ context, reading, read }: PullTarget): Promise<PullBranch> {
  const isShared = reading.scm?.sharesRepository === true
  const name = read.pull.pr.branch ?? ''
  const repository = openRepository(reading.project.path, context.env)
  const tip = isSafeBranch(name) ? await resolveRef(repository, `refs/heads/${name}`) : null
  const path = tip === null ? null : whereCheckedOut(repository, name)
  const checkout = path === null || path === repository.commonDir || locateGit(path) === null ? null : path
  const { name: remote = null } = isShared ? {} : ((await readProjectRemote(reading.project.path, context.env)) ?? {})
  const obstacle = !isShared && remote === null ? 'the repository has no remote' : null
  return {
    repository,
    name,
    tip,
    checkout,
    remote: remote === null ? null : { repository, name: remote },
    session: await readSession(context, read.sessionId),
    obstacle: obstacle ?? (checkout === null ? null : await whatIsChanged(checkout, context.env)),
  }
}

async function readSession({ manager }: PullTarget['context'], id: string | null): Promise<SuggestionFacts['session']> {
  const session = id === null ? null : await manager.get(id)
  if (session === null) return null
  const { status, activity } = session
  const { operation, place } = recordOf(session)
  return { id: session.id, status, activity, isBusy: operation !== undefined, place: place ?? null }
}

/** New files of the agent are not in the way: a suggestion changes files that are in the commit. */
async function whatIsChanged(path: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const args = ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty']
  const changed = (await runGit(path, args, { env })).split('\n').filter(Boolean)
  if (changed.length === 0) return null
  return `its checkout has changes that are not committed: ${changed
    .slice(0, 5)
    .map((line) => line.slice(3))
    .join(', ')}`
}
