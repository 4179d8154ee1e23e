// Which landed commits a person means, and what was found out about each.
import { AoError } from '../../contract/errors.ts'
import type { Finding, Proof } from '../../core/landing/judge-proof.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'

export interface Verified {
  commit: string
  subject: string
  proof: Proof | null
  findings: Finding[]
}

const MOST_COMMITS = 500

/** A commit, or a range: then each commit on its first line of parents, newest first. */
export async function commitsOf(forge: { repository(): Repository }, revision: string): Promise<string[]> {
  const args = revision.includes('..')
    ? ['rev-list', '--first-parent', `--max-count=${MOST_COMMITS}`, '--end-of-options', revision]
    : ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const result = await tryGitOn(forge.repository(), args, { read: true })
  if (!result.ok) {
    throw new AoError('USAGE', `${revision} is neither a commit nor a range of commits here`, {
      hint: 'Name one, such as main, or a range, such as main~5..main',
    })
  }
  return result.stdout.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))
}
