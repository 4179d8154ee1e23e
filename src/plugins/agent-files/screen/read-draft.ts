// What was typed into an agent's input line, from its screen with its colours. What an agent suggests there is faint or grey;
// in doubt there is nothing, because text that is taken for a draft holds back every message. Pure.
import { type Cell, styledCells, textOf } from './styled-cells.ts'

/** Which lines are the input line, and how many characters at the beginning of each do not belong to the text. */
type FindInput = (lines: readonly string[]) => Array<{ line: number; from: number }>

/** null: there is no input line on the screen. */
export function draftReader(find: FindInput): (styledText: string) => string | null {
  return (styledText) => {
    const cells = styledCells(styledText)
    const input = find(cells.map((line) => textOf(line).trimEnd()))
    if (input.length === 0) return null
    const shown = input.map(({ line, from }) => cells[line]!.slice(from))
    const typed = shown.map((line) => line.filter(isTyped))
    // A cursor at the very beginning has nothing before it: what follows is a suggestion.
    if (beginsWithCursor(shown[0] ?? []) || typed.flat().every(({ char }) => /\s|\p{Cf}/u.test(char))) return ''
    const text = typed.map((line) => textOf(line).trimEnd()).join('\n')
    return SUGGESTIONS.test(text) ? '' : text
  }
}

/** Inverse, underlined, or on a background of its own; a whole input line may have one too. */
function beginsWithCursor([first, second]: readonly Cell[]): boolean {
  if (!first) return false
  return first.isCursor || (first.background !== null && first.background !== second?.background)
}

/** Whatever colours a terminal makes of theirs. */
const SUGGESTIONS = /^\s*(?:Type your message\b|Ask Codex\b|Ask anything\b|Press up to edit\b|Try ")/

function isTyped({ isFaint, colour }: Cell): boolean {
  return !isFaint && !isGrey(colour)
}

const DARKEST = 60
const BRIGHTEST = 176
const MOST_TINT = 50

/** The colour of suggestions in the themes of agents; texts are brighter or darker. */
function isGrey(colour: string | null): boolean {
  if (colour === null) return false
  if (colour === '90') return true
  const [, kind, ...numbers] = colour.split(';').map(Number)
  if (kind === 5) return numbers[0] === 8 || isGrey(`38;2;${fromPalette(numbers[0] ?? 0).join(';')}`)
  const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  const tint = Math.max(...numbers) - Math.min(...numbers)
  return kind === 2 && tint < MOST_TINT && mean >= DARKEST && mean <= BRIGHTEST
}

/** xterm's 256 colours: a cube of six steps, then greys; the first sixteen are the terminal's own. */
function fromPalette(index: number): number[] {
  if (index < 16) return [255, 0, 0]
  if (index >= 232) return Array.from({ length: 3 }, () => 8 + (index - 232) * 10)
  const step = (level: number) => (level === 0 ? 0 : 55 + level * 40)
  const at = index - 16
  return [step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6)]
}

const BOTTOM_RULE = /^\s*[─▀]{20,}$/
/** It may carry a name or what the agent does, at its beginning or at its end. */
const TOP_RULE = /^\s*(?:[─▄]{10,}|[─▄]{2,}.*[─▄]{10,}$)/
const MOST_LINES_BELOW = 5

/** Between two lines across the screen. */
const boxWith =
  (mark: RegExp | null, indent: RegExp): FindInput =>
  (lines) => {
    const end = lines.findLastIndex((line) => BOTTOM_RULE.test(line))
    const start = lines.findLastIndex((line, index) => index < end && TOP_RULE.test(line))
    const below = lines.slice(end + 1).filter((line) => line !== '')
    // Rules may also be part of the conversation.
    if (start === -1 || below.length > MOST_LINES_BELOW || (mark && !mark.test(lines[start + 1] ?? ''))) return []
    return lines.slice(start + 1, end).map((line, index) => {
      const before = index === 0 && mark ? mark.exec(line)! : indent.exec(line)!
      return { line: start + 1 + index, from: before[0].length }
    })
  }

/** Claude Code, Qwen Code, Copilot CLI: the first line begins with a mark, the others are indented. */
export const betweenRules: FindInput = boxWith(/^\s*[❯>!*?#&$](?:\s|$)/, /^\s{0,3}/)
/** pi has no mark. */
export const betweenPlainRules: FindInput = boxWith(null, /^/)

const MOST_HINTS = 3

/** Codex: after its mark, up to an empty line; below it there is only a line about its model and one of hints. */
export const afterMark: FindInput = (lines) => {
  const last = lines.findLastIndex((line) => line !== '')
  const start = lines.findLastIndex((line) => /^›(?:\s|$)/.test(line))
  const end = lines.findIndex((line, index) => index > start && line === '')
  if (start === -1 || end === -1 || last < end || last - end > MOST_HINTS) return []
  if (!/^ {2}\S.* · /.test(lines[end + 1] ?? '')) return []
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

const ANY_RULE = /^\s*[─▄▀━]{10,}/
const INPUT_MARK = /^\s*[>!*](?:\s|$)/

/** Gemini CLI: the first marked line below the last rule, up to an empty line; with few colours its box has no edges. */
export const underRule: FindInput = (lines) => {
  const rule = lines.findLastIndex(
    (line, index) => ANY_RULE.test(line) && lines.slice(index + 1).some((one) => INPUT_MARK.test(one)),
  )
  const start = lines.findIndex((line, index) => index > rule && INPUT_MARK.test(line))
  const end = lines.findIndex((line, index) => index > start && (line.trim() === '' || ANY_RULE.test(line)))
  const below = lines.slice(end + 1).filter((line) => line.trim() !== '')
  if (rule === -1 || start === -1 || end === -1 || below.length > MOST_LINES_BELOW) return []
  return lines.slice(start, end).map((_line, index) => ({ line: start + index, from: 3 }))
}
