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

/** A person does not want that part of the change, and the agent is to take it back. */
export function takeBackMessage(number: number, { path, lines }: { path: string; lines: string | null }): string {
  const what = lines === null ? `your whole change to ${oneLine(path)}` : `your change to ${oneLine(path)}, ${lines}`
  return [
    `Please take back ${what} in #${number}: make it what it is on the base branch. Line numbers are those of the last commit of the pull request.`,
    'Commit that, unless something else depends on it; then say what.',
  ].join('\n')
}

/** They are in the branch already. */
export function appliedMessage({ number, commit, files }: { number: number; commit: string; files: string[] }): string {
  return changedMessage(`I applied suggestions from the review of #${number} to your branch`, { commit, files })
}

/** It is in the branch already. */
export function takenBackMessage(number: number, done: { commit: string; files: string[] }): string {
  return changedMessage(`I took back a part of #${number} on your branch`, done)
}

function changedMessage(what: string, { commit, files }: { commit: string; files: string[] }): string {
  return [
    `${what} as commit ${commit.slice(0, 10)}: ${files.map(oneLine).join(', ')}.`,
    'Your checkout has it already. Read these files again before you change them; there is nothing else to do about it.',
  ].join('\n')
}
