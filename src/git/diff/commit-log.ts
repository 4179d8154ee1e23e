// The commits between two revisions, oldest first: the arguments for git, and how its answer is read.

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

export function commitLog(from: string, to: string): string[] {
  const format = '--format=%H%x00%s%x00%b%x00%an%x00%ae%x00%cI%x01'
  return ['log', '--reverse', `--max-count=${MOST}`, format, `${from}..${to}`, '--']
}

export function parseCommits(log: string): ListedCommit[] {
  return log
    .split('\x01')
    .map((record) => record.trimStart())
    .filter(Boolean)
    .map((record) => {
      const [sha = '', subject = '', body = '', name = '', email = '', at = ''] = record.split('\0')
      return { sha, subject, body: body.trim(), name, email, at }
    })
}
