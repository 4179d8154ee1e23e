// Text of others where a person or an agent reads it: nothing in it may act on a terminal, turn text around or hide.

/** Control and format characters, line and paragraph separators, and half a character. The joiner inside emoji stays. */
const HIDDEN = /(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const HIDDEN_IN_LINES = /(?![\u200d\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** One line: each such character becomes its number, `\u{1b}`, so that nothing is lost and nothing happens. */
export function showHidden(text: string): string {
  return text.replace(HIDDEN, asNumber)
}

/** The same for text of several lines: line breaks and tabs stay. */
export function showHiddenInLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(HIDDEN_IN_LINES, asNumber)
}

function asNumber(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
