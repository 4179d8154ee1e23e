// `gh pr checkout`: the branch of a pull request in the current checkout. Uncommitted work is left to git, which refuses.

import type { Io } from '../../cli/print/io.ts'
import { tryGit } from '../../git/git.ts'
import { GhError } from '../gh-error.ts'
import { parseFlags } from '../gh-flags.ts'
import { type Gh, openGh, wantedPull } from '../open-gh.ts'

const FLAGS = {
  branch: { short: 'b', value: true },
  detach: {},
  force: { short: 'f' },
  'recurse-submodules': {},
} as const

export async function prCheckout(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, FLAGS)
  const [named] = args.positionals
  if (named === undefined)
    throw new GhError('pull request number, url or branch is required when not running interactively')
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, named, io)
  const commit = await bringCommit(gh, pull.headSha, io)
  const wanted = args.value('branch') ?? pull.pr.branch!
  const submodules = args.has('recurse-submodules') ? ['--recurse-submodules'] : []
  const target = args.has('detach') ? ['--detach', commit] : await branchTarget(wanted, commit, args.has('force'), io)
  const result = await tryGit(io.cwd, ['switch', ...submodules, ...target], { env: io.env })
  if (!result.ok) throw new GhError(explain(result.stderr, wanted, pull.pr.number))
  io.noteText(result.stderr)
  return 0
}

/** A branch that has moved on, or is somebody else's, stays unchanged without --force. */
async function branchTarget(branch: string, commit: string, force: boolean, io: Io): Promise<string[]> {
  const there = await tryGit(io.cwd, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`], {
    env: io.env,
    read: true,
  })
  if (!there.ok) return ['-c', branch, commit]
  if (there.stdout.trim() === commit) return [branch]
  if (force) return ['-C', branch, commit]
  throw new GhError(
    `the branch ${branch} is at ${there.stdout.slice(0, 10)}, the pull request at ${commit.slice(0, 10)}; --force resets it`,
  )
}

async function bringCommit(gh: Gh, commit: string, io: Io): Promise<string> {
  const { commonDir } = gh.forge.repository()
  const found = await tryGit(io.cwd, ['cat-file', '-e', `${commit}^{commit}`], { env: io.env, read: true })
  if (found.ok) return commit
  // A clone does not have it yet.
  const fetched = await tryGit(io.cwd, ['fetch', '--quiet', commonDir, commit], { env: io.env })
  if (!fetched.ok)
    throw new GhError(
      `the commit ${commit.slice(0, 10)} cannot be fetched from ${gh.project.path}: ${fetched.stderr.trim()}`,
    )
  return commit
}

function explain(stderr: string, branch: string, number: number): string {
  const holder = /(?:checked out|used by worktree) at '([^']+)'/.exec(stderr)?.[1]
  if (holder === undefined) return stderr.trim()
  return `the branch ${branch} is checked out in ${holder}, where its session works; to look at it here: gh pr checkout ${number} --detach`
}
