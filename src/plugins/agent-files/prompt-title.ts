// What a prompt is about, in one line. For a prompt composed by ao, the or the user's first line: the description
// of the worktree comes before it and is the same for all. Pure.

const MAX_CHARS = 120

/** An agent that takes its first prompt for the title of a conversation has named it like every other one. */
export function isFrame(title: string): boolean {
  return /^You work on .+ in a git worktree of your own\b/.test(title)
}

/** '' when it contains no words. */
export function promptTitle(prompt: string): string {
  const lines = prompt.split('\n').map((line) => line.trim())
  const heading = lines.findIndex((line) => /^## (Issue|Task)\b/.test(line))
  const fence = lines.findIndex((line, index) => index > heading && /^(~{3,}|`{3,})/.test(line))
  const isFenced = heading !== -1 && fence !== -1 && /^## Issue\b/.test(lines[heading]!)
  const from = isFenced ? fence + 1 : heading + 1
  const first = lines.slice(from).find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ''
  return first
    .replace(/^(?:#+\s*|(?:title|work on)\s*:\s*|issue\s+\S+\s*[:-]\s*)+/i, '')
    .slice(0, MAX_CHARS)
    .trim()
}
