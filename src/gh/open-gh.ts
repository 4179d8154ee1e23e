// What the gh commands work with: the project's forge, the current branch, texts from files.

import { listOf } from '../cli/ao/issue/issue-text.ts'
import { type OpenPulls, openPulls } from '../cli/ao/pr/open-forge.ts'
import { readText } from '../cli/arguments/read-text.ts'
import type { Io } from '../cli/print/io.ts'
import type { ProjectConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import type { Pull } from '../contract/pull.ts'
import { findStarting, startingLabels } from '../core/task/decide-trigger.ts'
import { hasName, type NameChange } from '../forge/pulls/name-list.ts'
import { observePulls } from '../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../forge/pulls/pull-events.ts'
import { findByBranch, pullNumber } from '../forge/pulls/pull-store.ts'
import { isLocalScm, type LocalForge } from '../forge/types.ts'
import { tryGit } from '../git/git.ts'
import { localAuthor, sessionOf } from '../inside/local-author.ts'
import { GhError } from './gh-error.ts'
import { repoName, requireOurRepo } from './which-repo.ts'

/** Somebody else's pull request. */
export class NotYourPullError extends GhError {}

export interface Gh extends OpenPulls {
  forge: LocalForge
  /** As gh names a repository. */
  repo: string
}

/** Takes the arguments so that no command can forget to check which repository is meant. */
export async function openGh(io: Io, { repo }: { repo: string | undefined }): Promise<Gh> {
  const opened = await openPulls(io)
  const { scm, project } = opened
  if (!isLocalScm(scm)) {
    throw new AoError('SCM_FAILED', `The pull requests of project ${project.id} are not kept by ao`, {
      hint: 'Use the command of its forge, such as gh, or choose: scm: local',
    })
  }
  requireOurRepo(project.id, repo, io.env)
  return { ...opened, forge: scm.forge(project), repo: repoName(project.id) }
}

/** The branch that is checked out in the current directory. */
export async function currentBranch(io: Io): Promise<string> {
  const result = await tryGit(io.cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { env: io.env, read: true })
  if (result.ok) return result.stdout.trim()
  throw new GhError('could not determine the current branch: not on any branch')
}

/** As they are now. */
export async function observe({ forge }: Gh, records: readonly LocalPull[]): Promise<Pull[]> {
  return observePulls(forge, records)
}

export function observeAll(gh: Gh): Promise<Pull[]> {
  return observe(gh, gh.forge.pulls.list())
}

export async function readPull(gh: Gh, number: number): Promise<Pull | null> {
  const record = gh.forge.pulls.read(number)
  return record === null ? null : ((await observe(gh, [record]))[0] ?? null)
}

/** Of a pull request that is there. */
export function recordOf({ forge }: Gh, number: number): LocalPull {
  const record = forge.pulls.read(number)
  if (record !== null) return record
  throw new GhError(`pull request ${number} is gone`)
}

/** The named one, or that of the current branch. */
export async function wantedPull(gh: Gh, named: string | undefined, io: Io): Promise<Pull> {
  const [pull] = await observe(gh, [await wantedRecord(gh, named, io)])
  return pull!
}

async function wantedRecord(gh: Gh, named: string | undefined, io: Io): Promise<LocalPull> {
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
  if (file === undefined) return args.value('body')
  if (args.value('body') !== undefined) throw new GhError('specify only one of `--body` or `--body-file`')
  return readText(file, io)
}

/** `a,b` and repeated flags; `@me` is the caller. */
export function namesOf(values: readonly string[], io: Io): string[] {
  return listOf(values).map((name) => (name === '@me' ? localAuthor(io.env) : name))
}

/** What `--add-x` and `--remove-x` request; undefined: neither was given. */
export function nameChange<W extends string>(
  args: { values(name: `add-${NoInfer<W>}` | `remove-${NoInfer<W>}`): string[] },
  what: W,
  io: Io,
): NameChange | undefined {
  const [add, remove] = [namesOf(args.values(`add-${what}`), io), namesOf(args.values(`remove-${what}`), io)]
  return add.length + remove.length === 0 ? undefined : { add, remove }
}

/** Reported because it was requested: a session still works on the branch, and its cleanup removes it. */
export function noteKeptBranch({ pr }: Pull, io: Io): void {
  io.note(`! The branch ${pr.branch} was not deleted: ao removes it with its session (ao session cleanup)`)
}

/** Inside a session only the session's own pull request may be changed; an agent may comment on others. */
export function requireOwnPull(io: Io, { pr, session: owner }: Pull, what: string): void {
  const { number } = pr
  const session = sessionOf(io.env)
  if (session === null || (owner === session && workerSession(io) !== null)) return
  const who = workerSession(io) === null ? 'an orchestrator' : `session ${session}`
  throw new NotYourPullError(
    `pull request #${number} is not one that ${who} may ${what}; a person does that with: ao pr ${what} ${number}`,
  )
}

/** An agent works for its own session; an orchestrator and a person work for everyone. */
export function workerSession(io: Io): string | null {
  return io.env.AO_SESSION && io.env.AO_CALLER_TYPE !== 'orchestrator' ? io.env.AO_SESSION : null
}

/** An issue with one of these labels starts a session, which is not for the agent of one. Those that it has already may stay. */
export function refuseStarting(
  project: ProjectConfig,
  { add, has = [] }: { add: readonly string[]; has?: readonly string[] },
  io: Io,
): void {
  const fresh = add.filter((name) => !hasName(has, name))
  const label = workerSession(io) === null ? null : findStarting(startingLabels(project), fresh)
  if (label === null) return
  throw new GhError(
    `the label ${label} starts a session, and an agent starts none; a person sets it with: ao issue edit`,
  )
}
