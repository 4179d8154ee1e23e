// Other people's text where a person or an agent reads it: nothing in it may control a terminal, reverse text or hide. Such
// a character is written as its code, `\u001b`: nothing is lost, nothing happens, and JSON stays the same JSON.

/** Control and format characters, line and paragraph separators. The joiner inside emoji is harmless. */
const HIDDEN = /(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const HIDDEN_IN_LINES = /\r\n|(?![\u200d\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
// The colours of cli/print/style.ts, and no others: text must not be able to make itself invisible.
const HIDDEN_ON_SCREEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
  /\u001b\[(?:1|2|22|3[1-6]|39)m|\r\n|(?![\u200d\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const PLAIN = /^[\n\t\u0020-\u007e]*$/

/** One line. */
export function showHidden(text: string): string {
  return PLAIN.test(text) ? text.replace(/[\n\t]/g, asNumber) : text.replace(HIDDEN, asNumber)
}

/** Several lines: line breaks and tabs stay. */
export function showHiddenInLines(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN_IN_LINES, keepLineEnd)
}

/** For what ao writes to a terminal: line breaks, tabs and ao's own colours stay. */
export function showHiddenOnScreen(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN_ON_SCREEN, keepOwn)
}

function keepLineEnd(found: string): string {
  return found === '\r\n' ? found : asNumber(found)
}

function keepOwn(found: string): string {
  return found.length > 2 ? found : keepLineEnd(found)
}

/** Characters beyond the first plane become two escapes, as in JSON. */
function asNumber(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
}
