// What was typed into an agent's input line, from its screen with its colours. What an agent suggests there is faint or grey;
// in doubt there is nothing, because text that is taken for a draft holds back every message. Pure.
import type { FindInput } from './input-line.ts'
import { type Cell, styledCells, textOf } from './styled-cells.ts'

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
