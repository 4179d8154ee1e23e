// A screen with its colour sequences (SGR) as characters that know how they are drawn. Pure.

export interface Cell {
  char: string
  /** Drawn faint, as suggestions are. */
  isFaint: boolean
  /** Inverse or underlined, as cursors are drawn. */
  isCursor: boolean
  /** The parameters of its colour, such as `38;5;244`; null: the terminal's own. */
  colour: string | null
  /** Likewise what is behind it, such as `48;5;252`. */
  background: string | null
}

type Style = Omit<Cell, 'char'>

const PLAIN: Style = { isFaint: false, isCursor: false, colour: null, background: null }
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with one.
const SGR = /\u001b\[([0-9;:]*)m/y
/** Other sequences draw nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with one.
const OTHER = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()*+].|.)/y

export function styledCells(styledText: string): Cell[][] {
  const lines: Cell[][] = [[]]
  let style = PLAIN
  let index = 0
  while (index < styledText.length) {
    const set = matchAt(SGR, styledText, index)
    if (set) {
      style = styleAfter(style, set[1]!)
      index += set[0].length
      continue
    }
    const skipped = matchAt(OTHER, styledText, index)
    if (skipped) {
      index += skipped[0].length
      continue
    }
    const char = String.fromCodePoint(styledText.codePointAt(index)!)
    if (char === '\n') lines.push([])
    else if (char !== '\r') lines.at(-1)!.push({ char, ...style })
    index += char.length
  }
  return lines
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index
  return pattern.exec(text)
}

function styleAfter(before: Style, parameters: string): Style {
  const numbers = parameters === '' ? [0] : parameters.split(/[;:]/).map(Number)
  let style = before
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!
    if (number === 38 || number === 48 || number === 58) {
      const length = numbers[at + 1] === 2 ? 5 : 3
      const colour = numbers.slice(at, at + length).join(';')
      if (number === 38) style = { ...style, colour }
      if (number === 48) style = { ...style, background: colour }
      at += length - 1
    } else style = withNumber(style, number)
  }
  return style
}

function withNumber(style: Style, number: number): Style {
  if (number === 0) return PLAIN
  if (number === 2) return { ...style, isFaint: true }
  if (number === 22) return { ...style, isFaint: false }
  if (number === 7 || number === 4) return { ...style, isCursor: true }
  if (number === 27 || number === 24) return { ...style, isCursor: false }
  if (number === 39) return { ...style, colour: null }
  if (number === 49) return { ...style, background: null }
  if (isIn(number, 30) || isIn(number, 90)) return { ...style, colour: String(number) }
  return isIn(number, 40) || isIn(number, 100) ? { ...style, background: String(number) } : style
}

/** The eight colours from this number on. */
const isIn = (number: number, first: number): boolean => number >= first && number <= first + 7

export const textOf = (cells: readonly Cell[]): string => cells.map(({ char }) => char).join('')
