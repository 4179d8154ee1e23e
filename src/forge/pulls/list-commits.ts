// The commits of a branch or pull request that its base does not have, oldest first.
import { commitLog, type ListedCommit, parseCommits } from '../../git/diff/commit-log.ts'
import { gitOn } from '../../git/repository.ts'
import type { LocalForge } from '../types.ts'
import { pullRange } from './diff-pull.ts'
import type { LocalPull } from './pull-events.ts'

export async function listCommits(forge: LocalForge, pull: LocalPull): Promise<ListedCommit[]> {
  const { repository, from, to } = await pullRange(forge, pull)
  return parseCommits(await gitOn(repository, commitLog(from, to), { read: true }))
}

export async function commitsBetween(forge: LocalForge, from: string, to: string): Promise<ListedCommit[]> {
  return parseCommits(await gitOn(forge.repository(), commitLog(from, to), { read: true }))
}
