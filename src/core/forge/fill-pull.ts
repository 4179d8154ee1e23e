// Title and text of a pull request from its commits, as gh fills them in. null: there are no commits.

interface FillCommit {
  subject: string
  body: string
}

export function fillPull(
  commits: readonly FillCommit[],
  head: string,
  how: 'fill' | 'fill-first' | 'fill-verbose',
): { title: string; body: string } | null {
  const [first] = commits
  if (!first) return null
  if (how !== 'fill-verbose' && (how === 'fill-first' || commits.length === 1)) {
    return { title: first.subject, body: first.body }
  }
  const lines = commits.map(({ subject, body }) =>
    how === 'fill' ? `- ${subject}` : `- **${subject}**${body === '' ? '' : `\n${body.replace(/^/gm, '  ')}`}`,
  )
  const title = commits.length === 1 ? first.subject : head.replace(/[_-]/g, ' ')
  return { title, body: lines.join('\n') }
}
