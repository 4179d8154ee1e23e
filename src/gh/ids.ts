// The ids in GitHub's responses: numbers in REST, strings in GraphQL. Both are derived from the local forge's own ids, so
// that the same thing has the same id in every response.

/** GraphQL's integers are signed 32-bit. */
const MOST = 0x7fff_ffff

/** `comment-1a2b3c4d` and `review-1a2b3c4d` contain their number; any other name gets a stable one. */
export function numericId(id: string): number {
  const digits = /-([0-9a-f]{8})$/.exec(id)?.[1]
  if (digits !== undefined) return Number.parseInt(digits, 16) & MOST || 1
  let hash = 0
  for (const char of id) hash = (hash * 31 + char.codePointAt(0)!) % MOST
  return hash || 1
}

/** Comments of an issue have no ids in its file: they are counted, and none is ever removed. */
const MOST_COMMENTS = 10_000

export function issueCommentId(issue: number, index: number): number {
  return issue * MOST_COMMENTS + index + 1
}

export function parseIssueCommentId(id: number): { issue: number; index: number } {
  return { issue: Math.floor((id - 1) / MOST_COMMENTS), index: (id - 1) % MOST_COMMENTS }
}
