// How wide a terminal draws the marks that nobody sees. Pure.

interface Widths {
  readonly version: string
  wcwidth(code: number): 0 | 1 | 2
  charProperties(code: number, before: number): number
}

interface Unicode {
  register(widths: Widths): void
  activeVersion: string
}

/** Marks for the direction of text, and for where it may break. A soft hyphen is seen, and joined emoji are the addon's matter. */
const MARK = /^(?![\u00ad\u200d])(?=\p{Default_Ignorable_Code_Point})\p{Cf}$/u
const FIRST_MARK = 0x61c
const JOINED = 1

/**
 * xterm's addon for graphemes counts them as letters, but programs count them as nothing: a line with one would wrap. They stay with
 * the letter before them, for whoever reads what is there.
 */
export function activateGraphemes<T>(unicode: Unicode, addon: { activate(terminal: T): void }): void {
  const register = (widths: Widths) => unicode.register(withoutMarks(widths))
  addon.activate({ unicode: { register } } as T)
  unicode.activeVersion = '15-graphemes'
}

function withoutMarks(widths: Widths): Widths {
  const isMark = (code: number) => code >= FIRST_MARK && MARK.test(String.fromCodePoint(code))
  return {
    version: widths.version,
    wcwidth: (code) => (isMark(code) ? 0 : widths.wcwidth(code)),
    charProperties: (code, before) => (isMark(code) ? before | JOINED : widths.charProperties(code, before)),
  }
}
