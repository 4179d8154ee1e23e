// A new pull request, however it was requested: the branch is pushed along, and the session's record is updated.
import { resolve } from 'node:path'
import type { Io } from '../../cli/io.ts'
import { type NewPull, type OpenedPull, openPull } from '../../forge/pulls/open-pull.ts'
import { tryGit } from '../../git/git.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { GhError } from '../gh-error.ts'
import { type Gh, workerSession } from '../open-gh.ts'
import { noteSession } from './note-session.ts'

export async function openOwnPull(gh: Gh, wanted: NewPull, io: Io): Promise<OpenedPull> {
  gh.claim()
  await bringBranch(gh, wanted.head, io)
  const opened = await openPull(gh.forge, wanted)
  await note(gh, opened.pull.url, opened.pull.session, io)
  return opened
}

/** Its own session is updated here, immediately; the wrapper's record of the same changes nothing. */
async function note(gh: Gh, url: string, owner: string | null, io: Io): Promise<void> {
  const sessionId = workerSession(io)
  if (sessionId === null || owner !== sessionId) return
  await noteSession(io, gh.config, { projectId: gh.project.id, sessionId, url, status: 'pr_open' })
}

/** A clone keeps its branches to itself until they are pushed: that is done here, as gh does it. */
export async function bringBranch(gh: Gh, head: string, io: Io): Promise<void> {
  const here = commonGitDir(await topLevel(io))
  const { commonDir } = gh.forge.repository()
  if (here === null || here === commonDir) return
  const result = await tryGit(io.cwd, ['push', '--quiet', commonDir, `refs/heads/${head}:refs/heads/${head}`], {
    env: io.env,
  })
  if (!result.ok)
    throw new GhError(`the branch ${head} could not be pushed to ${gh.project.path}: ${result.stderr.trim()}`)
}

async function topLevel(io: Io): Promise<string> {
  const result = await tryGit(io.cwd, ['rev-parse', '--show-toplevel'], { env: io.env, read: true })
  if (!result.ok) throw new GhError('fatal: not a git repository (or any of the parent directories): .git')
  return resolve(io.cwd, result.stdout.replace(/\n$/, ''))
}
