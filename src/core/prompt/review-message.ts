// A person's review as one message to the agent: each comment with its path and the lines it is about. Pure.

export interface ReviewedLines {
  path: string
  /** The first of several lines. */
  startLine: number | null
  line: number
  /** The lines as the person saw them; null: not known. */
  code: string | null
  body: string
}

const MOST_QUOTED = 12

export function reviewMessage({ summary, comments }: { summary: string; comments: readonly ReviewedLines[] }): string {
  const parts = comments.map(({ path, startLine, line, code, body }, index) => {
    const lines = startLine === null || startLine === line ? `line ${line}` : `lines ${startLine}-${line}`
    return [`${index + 1}. ${path}, ${lines}:`, ...(code === null ? [] : [quote(code)]), '', body.trim()].join('\n')
  })
  const hasSuggestion = comments.some(({ body }) => /^```suggestion\s*$/m.test(body))
  return [
    comments.length === 0 ? 'I reviewed your work.' : 'I reviewed your work and have these comments on it.',
    ...(summary.trim() === '' ? [] : [summary.trim()]),
    ...parts,
    ...(hasSuggestion ? ['A block marked `suggestion` is what the lines above it should be replaced with.'] : []),
    ...(comments.length === 0 ? [] : ['Address each of them, and say what you did about it.']),
  ].join('\n\n')
}

/** Enough to find the lines again after they have moved. */
function quote(code: string): string {
  const lines = code.split('\n')
  const shown = lines.length <= MOST_QUOTED ? lines : [...lines.slice(0, MOST_QUOTED - 1), '…']
  return shown.map((line) => `> ${line}`.trimEnd()).join('\n')
}
