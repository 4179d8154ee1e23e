// What the answers work with: the project's forge, the branch that is checked out here, texts from files.
import type { OrchestratorConfig, ProjectConfig } from '../../../contract/config.ts'
import { findByBranch, pullNumber } from '../../../forge/pulls/find-pull.ts'
import { sessionOf } from '../../../forge/pulls/local-author.ts'
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../../forge/types.ts'
import { tryGit } from '../../../git/git.ts'
import type { Io } from '../../io.ts'
import { readText } from '../../read-text.ts'
import { openForge, type Place } from '../pr/open-forge.ts'
import { GhError } from './gh-error.ts'

export interface Gh extends Place {
  config: OrchestratorConfig
  project: ProjectConfig
  forge: LocalForge
  /** As gh names a repository. */
  repo: string
}

export async function openGh(io: Io): Promise<Gh> {
  const place = await openForge(io)
  return { ...place, repo: `projects/${place.project.id}` }
}

/** The branch that is checked out in the current directory. */
export async function currentBranch(io: Io): Promise<string> {
  const result = await tryGit(io.cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { env: io.env, read: true })
  if (result.ok) return result.stdout.trim()
  throw new GhError('could not determine the current branch: not on any branch')
}

/** The one that is named, or that of the current branch. */
export async function wantedPull(gh: Gh, named: string | undefined, io: Io): Promise<LocalPull> {
  const pulls = gh.forge.pulls.list()
  if (named === undefined) {
    const branch = await currentBranch(io)
    const found = findByBranch(pulls, branch)
    if (found) return found
    throw new GhError(`no pull requests found for branch "${branch}"`)
  }
  const number = pullNumber(gh.forge, named)
  const found =
    number === null
      ? findByBranch(pulls, named.replace(/^[^/:]+:/, ''))
      : (pulls.find((one) => one.number === number) ?? null)
  if (found) return found
  if (number === null) throw new GhError(`no pull requests found for branch "${named}"`)
  throw new GhError(
    `GraphQL: Could not resolve to a PullRequest with the number of ${number}. (repository.pullRequest)`,
  )
}

export async function textOf(
  args: { value(name: 'body' | 'body-file'): string | undefined },
  io: Io,
): Promise<string | undefined> {
  const file = args.value('body-file')
  return file === undefined ? args.value('body') : readText(file, io)
}

/** Inside a session only the session's own pull request may be changed; on those of others an agent may comment. */
export function requireOwnPull(io: Io, { number, session: owner }: LocalPull, what: string): void {
  const session = sessionOf(io.env)
  if (session === null || (owner === session && workerSession(io) !== null)) return
  const who = workerSession(io) === null ? 'an orchestrator' : `session ${session}`
  throw new GhError(
    `pull request #${number} is not one that ${who} may ${what}; a person does that with: ao pr ${what} ${number}`,
  )
}

/** An agent works for its own session; an orchestrator and a person work for everybody. */
export function workerSession(io: Io): string | null {
  return io.env.AO_SESSION && io.env.AO_CALLER_TYPE !== 'orchestrator' ? io.env.AO_SESSION : null
}
