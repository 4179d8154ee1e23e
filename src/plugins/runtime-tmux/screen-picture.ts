// A pane's screen as the sequences that draw it on another terminal: text, colours, modes, cursor. Pure.
import type { TerminalSize } from '../../contract/terminal-frames.ts'

/** What is requested from tmux beside the text, in this order. A flag that this tmux does not know is empty. */
const FIELDS = [
  'pane_width',
  'pane_height',
  'cursor_x',
  'cursor_y',
  'scroll_region_upper',
  'scroll_region_lower',
  'alternate_on',
  'cursor_flag',
  'insert_flag',
  'keypad_cursor_flag',
  'keypad_flag',
  'wrap_flag',
  'origin_flag',
  'mouse_standard_flag',
  'mouse_button_flag',
  'mouse_all_flag',
  'mouse_sgr_flag',
  'bracket_paste_flag',
] as const

type Field = (typeof FIELDS)[number]

export const PICTURE_FORMAT = FIELDS.map((field) => `#{${field}}`).join('/')

export interface Picture {
  size: TerminalSize
  bytes: Buffer
}

/** A full reset first, then what line-drawing characters need. */
export const RESET = '\u001bc\u001b)0'

/** tmux announces in the middle of its response that it continues. */
const CONTINUED = /^%continue %\d+\n/

/** `answer`: one line in PICTURE_FORMAT, then the lines of the pane, history first. */
export function drawPicture(answer: string): Picture {
  const [head = '', ...lines] = answer.replace(CONTINUED, '').replace(/\n$/, '').split('\n')
  const values = head.split('/')
  const field = (name: Field) => values[FIELDS.indexOf(name)] ?? ''
  const isOn = (name: Field) => field(name) === '1'
  const size = { cols: Number(field('pane_width')), rows: Number(field('pane_height')) }
  const isAlternate = isOn('alternate_on')
  const shown = isAlternate ? lines.slice(-size.rows) : lines
  const text = [
    RESET,
    isAlternate ? '\u001b[?1049h\u001b[H' : '',
    closeLines(shown).join('\r\n'),
    '\u001b[0m\u000f',
    scrollRegion(field('scroll_region_upper'), field('scroll_region_lower'), size),
    isOn('insert_flag') ? '\u001b[4h' : '',
    isOn('keypad_cursor_flag') ? '\u001b[?1h' : '',
    isOn('keypad_flag') ? '\u001b=' : '',
    field('wrap_flag') === '0' ? '\u001b[?7l' : '',
    isOn('mouse_standard_flag') ? '\u001b[?1000h' : '',
    isOn('mouse_button_flag') ? '\u001b[?1002h' : '',
    isOn('mouse_all_flag') ? '\u001b[?1003h' : '',
    isOn('mouse_sgr_flag') ? '\u001b[?1006h' : '',
    // Most versions of tmux do not report it. Every agent with a screen wants bracketed paste, and so does every shell.
    field('bracket_paste_flag') === '0' ? '' : '\u001b[?2004h',
    `\u001b[${Number(field('cursor_y')) + 1};${Number(field('cursor_x')) + 1}H`,
    isOn('origin_flag') ? '\u001b[?6h' : '',
    field('cursor_flag') === '0' ? '\u001b[?25l' : '',
  ].join('')
  return { size, bytes: Buffer.from(text) }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const COLOURS = /\u001b\[([0-9;:]*)m/g

/** tmux continues in the colours of the previous line. A terminal that scrolls would paint its new line with them. */
function closeLines(lines: string[]): string[] {
  let background = ''
  return lines.map((line) => {
    const before = background
    for (const [, codes = ''] of line.matchAll(COLOURS)) background = backgroundAfter(codes, background)
    return `${before && `\u001b[${before}m`}${line}${background && '\u001b[49m'}`
  })
}

function backgroundAfter(codes: string, before: string): string {
  let background = before
  const parts = codes.split(';')
  for (let index = 0; index < parts.length; index++) {
    const word = parts[index]!
    const isExtended = word === '38' || word === '48'
    // 48;5;n or 48;2;r;g;b, and the same for other colours.
    const length = isExtended ? (parts[index + 1] === '5' ? 3 : 5) : 1
    if (word === '' || word === '0' || word === '49') background = ''
    if (/^(4[0-8]|10[0-7])\b/.test(word)) background = parts.slice(index, index + length).join(';')
    index += length - 1
  }
  return background
}

function scrollRegion(upper: string, lower: string, { rows }: TerminalSize): string {
  if (upper === '' || (Number(upper) === 0 && Number(lower) === rows - 1)) return ''
  return `\u001b[${Number(upper) + 1};${Number(lower) + 1}r`
}
