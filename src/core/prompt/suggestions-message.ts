// Suggestions of a review as messages to the agent of the branch. Pure.
import { fenceUntrusted, oneLine } from './fence-untrusted.ts'

export interface SuggestedLines {
  author: string
  path: string
  from: number
  to: number
  lines: readonly string[]
}

/** A person wants them applied, and the agent is to do it. */
export function suggestionsMessage(number: number, suggestions: readonly SuggestedLines[]): string {
  const parts = suggestions.map(({ author, path, from, to, lines }, index) => {
    const where = `${oneLine(path)}, ${from === to ? `line ${from}` : `lines ${from}-${to}`}`
    if (lines.length === 0) return `${index + 1}. ${where}: remove ${from === to ? 'it' : 'them'}.`
    const text = fenceUntrusted(lines.join('\n'), `a suggestion by ${author}`)
    return `${index + 1}. ${where}, replace ${from === to ? 'it' : 'them'} with:\n${text}`
  })
  return [
    `Please apply ${suggestions.length === 1 ? 'this suggestion' : 'these suggestions'} from the review of #${number}. Line numbers are those of the last commit of the pull request.`,
    ...parts,
    'Commit them as they are, unless they break something; then say what.',
  ].join('\n\n')
}

/** They are in the branch already. */
export function appliedMessage({ number, commit, files }: { number: number; commit: string; files: string[] }): string {
  return [
    `I applied suggestions from the review of #${number} to your branch as commit ${commit.slice(0, 10)}: ${files.map(oneLine).join(', ')}.`,
    'Your checkout has it already. Read these files again before you change them; there is nothing else to do about it.',
  ].join('\n')
}
