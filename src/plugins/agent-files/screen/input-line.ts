// Where the input lines of agents are on their screens. One that is found is what a message may be typed into; text that an
// agent's model writes is indented by the agent, so it cannot draw one. Pure.

/** Which lines are the input line, and how many characters at the beginning of each do not belong to the text; [] for none. */
export type FindInput = (lines: readonly string[]) => Array<{ line: number; from: number }>

/** A screen as lines, without what is empty at its end, and without a scroll bar at its right. */
export function linesOf(terminalText: string): string[] {
  const lines = terminalText
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
  const hasBar = lines.filter((line) => SCROLL_BAR.test(line)).length >= SHORTEST_BAR
  return hasBar ? lines.map((line) => line.replace(SCROLL_BAR, '')) : lines
}

const SCROLL_BAR = /\s{2,}[█▐▌]$/
const SHORTEST_BAR = 3

const BOTTOM_RULE = /^[─▀]{20,}\s*$/
/** It may carry a name or what the agent does, at its beginning or at its end. */
const TOP_RULE = /^(?:[─▄]{10,}|[─▄]{2,}.*[─▄]{10,}$)/
/** A status line of the user's, hints, or a short list of keys, which are indented; the conversation may not be. */
const MOST_LINES_BELOW = 9
const MOST_PLAIN_LINES_BELOW = 5

/** Between two lines across the screen. */
const boxWith =
  (mark: RegExp | null, indent: RegExp): FindInput =>
  (lines) => {
    const end = lines.findLastIndex((line) => BOTTOM_RULE.test(line))
    const start = lines.findLastIndex((line, index) => index < end && TOP_RULE.test(line))
    const below = lines.slice(end + 1).filter((line) => line !== '')
    // Rules may also be part of the conversation.
    const most = below.every((line) => /^\s/.test(line)) ? MOST_LINES_BELOW : MOST_PLAIN_LINES_BELOW
    if (start === -1 || below.length > most || (mark && !mark.test(lines[start + 1] ?? ''))) return []
    return lines.slice(start + 1, end).map((line, index) => {
      const before = index === 0 && mark ? mark.exec(line)! : indent.exec(line)!
      return { line: start + 1 + index, from: before[0].length }
    })
  }

/** Claude Code, Qwen Code, Copilot CLI: the first line begins with a mark, the others are indented. */
export const betweenRules: FindInput = boxWith(/^\s*[❯>!*?#&$](?:\s|$)/, /^\s{0,3}/)
const plainBox = boxWith(null, /^/)
/** An option, a position in a list, or what a key does. */
const OF_A_LIST = /^[→›>](?: |$)|^\s*\(\d+\/\d+\)$|\bto cancel\b|\bctrl\+c cancel\b/i

/** Its directory, its tokens, and what an extension adds. */
const MOST_LINES_OF_PI = 4

/** pi has no mark. Its lists are between the same lines, and begin with an empty one. */
export const betweenPlainRules: FindInput = (lines) => {
  const found = plainBox(lines)
  const texts = found.map(({ line }) => lines[line]!)
  const below = lines.slice((found.at(-1)?.line ?? 0) + 2).filter((line) => line !== '')
  if (below.length > MOST_LINES_OF_PI || /^\s/.test(below[0] ?? '')) return []
  const isList = (texts.length > 1 && texts[0]!.trim() === '') || texts.some((text) => OF_A_LIST.test(text))
  return isList ? [] : found
}

const MOST_HINTS = 3

/**
 * Codex: after its mark, up to the empty line above the one about its model, below which there are only hints. What was typed may
 * have empty lines of its own; all others are indented, which the conversation below an earlier message is not.
 */
export const afterMark: FindInput = (lines) => {
  const last = lines.findLastIndex((line) => line !== '')
  const start = lines.findLastIndex((line) => /^›(?:\s|$)/.test(line))
  const end = lines.findLastIndex((line, index) => line === '' && /^ {2}\S.* · /.test(lines[index + 1] ?? ''))
  if (start === -1 || end <= start || last - end > MOST_HINTS) return []
  if (!lines.slice(start + 1, end).every((line) => line === '' || line.startsWith('  '))) return []
  return lines.slice(start, end).map((_line, index) => ({ line: start + index, from: 2 }))
}

/** OpenCode: behind a bar, above the line with its model and the bar's foot. */
export const behindBar: FindInput = (lines) => {
  const foot = lines.findLastIndex((line) => /^\s*╹▀{10,}/.test(line))
  const before = lines.findLastIndex((line, index) => index < foot && !/^\s*┃/.test(line))
  if (foot === -1) return []
  return lines.slice(before + 1, Math.max(before + 1, foot - 1)).map((line, index) => ({
    line: before + 1 + index,
    from: /^\s*┃ {0,2}/.exec(line)![0].length,
  }))
}

const RULE = /^─{20,}\s*$/
const EDGE = /^[▄▀]{10,}/
const INPUT_MARK = /^\s*[>!*](?:\s|$)/
/** Lines about modes, and the upper edge of its box. */
const MOST_LINES_BETWEEN = 5

/**
 * Gemini CLI: the first marked line soon after the last line across the screen, up to an empty line or the edge of its box; with
 * few colours that has none. Messages in the conversation are in such boxes too, but not below such a line.
 */
export const underRule: FindInput = (lines) => {
  const rule = lines.findLastIndex((line) => RULE.test(line))
  const start = lines.findIndex((line, index) => index > rule && INPUT_MARK.test(line))
  const end = lines.findIndex((line, index) => index > start && (line.trim() === '' || EDGE.test(line)))
  const below = lines.slice(end + 1).filter((line) => line.trim() !== '')
  if (rule === -1 || start === -1 || end === -1) return []
  if (start - rule > MOST_LINES_BETWEEN || below.length > MOST_LINES_BELOW) return []
  return lines.slice(start, end).map((_line, index) => ({ line: start + index, from: 3 }))
}
