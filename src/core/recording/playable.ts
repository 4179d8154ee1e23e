// What of a recording is written to a person's own terminal when it is played: text, and the sequences that draw. Everything else
// is left out, because it may reach beyond the screen: clipboard, titles, links, printers, questions that a terminal answers. Pure.

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is looked for
/** With a text inside: titles, links, the clipboard, questions about the terminal. */
const STRINGS = /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u009c|\u001b\\)?/g
/** Whatever else a terminal may obey, also an escape that is followed by nothing it knows, and the question for its name. */
const SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]|[\u0005\u001b\u0080-\u009f]/g
/** Moves, erases, colours, margins, modes of the screen, character sets. Nothing that a terminal answers as if somebody typed. */
const DRAWING = [
  /^(?:\u001b\[|\u009b)[\d;:]*[@A-MPSTXZ`abd-gmrsu]$/,
  /^(?:\u001b\[|\u009b)(?:(?:4|20)[hl]|\?[\d;]*[hlrsJK]|\d* q|!p)$/,
  /^\u001b(?:[6-9DEHMNO=>]|[()*+][0-9A-Z]|#[3-8])$/,
]
/** At the end: a sequence that is not over. */
const UNFINISHED =
  /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)?|\u009b[0-?]*[ -/]*|[\u0090\u0098\u009d-\u009f][^\u0007\u001b\u009c]*\u001b?)$/
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: they are what is looked for

/** A longer one is not awaited: it would hold back all that follows. */
const LONGEST_SEQUENCE = 4096

/** Sequences may be split between two pieces, so it remembers. */
export function createPlayFilter(): (data: string) => string {
  let kept = ''
  return (data) => {
    const text = kept + data
    const start = UNFINISHED.exec(text)?.index ?? text.length
    kept = text.length - start > LONGEST_SEQUENCE ? '' : text.slice(start)
    return text.slice(0, start).replace(STRINGS, '').replace(SEQUENCE, keepDrawing)
  }
}

function keepDrawing(sequence: string): string {
  return DRAWING.some((pattern) => pattern.test(sequence)) ? sequence : ''
}

/** Whatever a recording has switched on is off again after this. */
export const RESTORE_TERMINAL = [
  '\u001b[?1049l',
  '\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1005l\u001b[?1006l\u001b[?1015l',
  '\u001b[?2004l\u001b[?2026l\u001b[?1l\u001b>\u001b[<u\u001b[>4m',
  // In DECSTR: colours, margins, insert mode, the cursor.
  '\u001b[!p\u001b[r\u001b[?7h\u001b[?25h\u001b[0m\u001b(B\u000f',
].join('')

export interface PlayPace {
  speed: number
  idleLimitMs: number
}

export function waitBetween(before: number, at: number, { speed, idleLimitMs }: PlayPace): number {
  return Math.min(Math.max(0, at - before), idleLimitMs) / speed
}
