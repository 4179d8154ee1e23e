// Text of a terminal as pieces with their colours. Everything that is not a colour is left out. Pure.

export interface AnsiPiece {
  text: string
  /** One of the names in the theme; null: the text's own colour. */
  tone: 'bad' | 'good' | 'attention' | 'accent' | 'review' | 'live' | 'faint' | null
  bold: boolean
  underline: boolean
}

type Look = Omit<AnsiPiece, 'text'>

const PLAIN: Look = { tone: null, bold: false, underline: false }
/** The eight colours of a terminal: black, red, green, yellow, blue, magenta, cyan, white. */
const TONES: ReadonlyArray<Look['tone']> = ['faint', 'bad', 'good', 'attention', 'accent', 'review', 'live', null]

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is looked for.
const SEQUENCE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same; tabs and line breaks stay.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g

export function splitAnsi(text: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = []
  let look = PLAIN
  let from = 0
  const add = (to: number) => {
    const part = lastDrawn(text.slice(from, to)).replace(CONTROLS, '')
    if (part !== '') pieces.push({ text: part, ...look })
  }
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index)
    if (match[2] === 'm') look = changeLook(look, match[1] ?? '')
    from = match.index + match[0].length
  }
  add(text.length)
  return pieces
}

/** Of lines that were drawn over and over, the last state. */
function lastDrawn(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n')
}

function changeLook(before: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/).map(Number)
  let look = before
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!
    if (code === 0) look = PLAIN
    else if (code === 1) look = { ...look, bold: true }
    else if (code === 2) look = { ...look, tone: 'faint' }
    else if (code === 4) look = { ...look, underline: true }
    else if (code === 22) look = { ...look, bold: false, tone: look.tone === 'faint' ? null : look.tone }
    else if (code === 24) look = { ...look, underline: false }
    else if (code === 39) look = { ...look, tone: null }
    else if (code >= 30 && code <= 37) look = { ...look, tone: TONES[code - 30]! }
    else if (code >= 90 && code <= 97) look = { ...look, tone: TONES[code - 90]! }
    else if (code === 38 || code === 48) {
      // 256 colours (5;n) or 24 bits (2;r;g;b): of these, only the first sixteen have names.
      const index = codes[at + 2] ?? 0
      if (code === 38 && codes[at + 1] === 5 && index < 16) look = { ...look, tone: TONES[index % 8]! }
      at += codes[at + 1] === 5 ? 2 : 4
    }
  }
  return look
}
