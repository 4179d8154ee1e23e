// What a dialog at the bottom of a screen says, when its options are not known. Pure.

const TOP = /^\s*(?:[╭┌]|[─━▔═▀▄]{10,})/
const FRAME = /^[\s│┃|╭╰╮╯├┤┌└┐┘─━╌═▔▄▀]+|[\s│┃|╭╰╮╯├┤┌└┐┘─━╌═▔▄▀]+$/g
const MOST_LINES = 30
/** A dialog may have a search field between two lines, and a line about keys below it. */
const FEWEST_LINES = 4

/** From the last line across the screen on, or what is there at all. */
export function dialogText(lines: readonly string[]): string {
  const bottom = lines.slice(-MOST_LINES)
  const top = bottom.findLastIndex(
    (line, index) => TOP.test(line) && linesIn(bottom.slice(index + 1)).length >= FEWEST_LINES,
  )
  return linesIn(bottom.slice(top + 1)).join('\n')
}

function linesIn(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(FRAME, '').trim()).filter((line) => line !== '')
}
