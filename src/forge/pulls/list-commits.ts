// The commits of a branch or pull request that its base does not have, oldest first.

import { gitOn } from '../../git/repository.ts'
import type { LocalForge } from '../types.ts'
import { pullRange } from './diff-pull.ts'
import type { LocalPull } from './pull-events.ts'

export interface ListedCommit {
  sha: string
  subject: string
  body: string
  name: string
  email: string
  /** ISO 8601 */
  at: string
}

const MOST = 250

export async function listCommits(forge: LocalForge, pull: LocalPull): Promise<ListedCommit[]> {
  const { from, to } = await pullRange(forge, pull)
  return commitsBetween(forge, from, to)
}

export async function commitsBetween(forge: LocalForge, from: string, to: string): Promise<ListedCommit[]> {
  const format = '--format=%H%x00%s%x00%b%x00%an%x00%ae%x00%cI%x01'
  const range = ['log', '--reverse', `--max-count=${MOST}`, format, `${from}..${to}`, '--']
  const listed = await gitOn(forge.repository(), range, { read: true })
  return listed
    .split('\x01')
    .map((record) => record.trimStart())
    .filter(Boolean)
    .map((record) => {
      const [sha = '', subject = '', body = '', name = '', email = '', at = ''] = record.split('\0')
      return { sha, subject, body: body.trim(), name, email, at }
    })
}
