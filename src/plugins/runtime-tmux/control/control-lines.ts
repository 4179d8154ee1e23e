// Parses the output of a tmux control client byte by byte: responses to commands, output of panes, notices. Knows no
// process.
import { AoError } from '../../../contract/errors.ts'

export type ControlEvent =
  /** One per command that we sent. */
  | { kind: 'reply'; ok: boolean; text: string }
  | { kind: 'output'; pane: string; bytes: Buffer }
  | { kind: 'notice'; name: string; rest: string }

const NEWLINE = 0x0a
const BACKSLASH = 0x5c
/** Far beyond what we request. More cannot be from tmux. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024
/** The last field of %begin: 1 for the client's own commands. */
const SENT_BY_CLIENT = '1'

interface Block {
  /** Everything after %begin; the same follows the %end of this block and of no other. */
  id: string
  lines: Buffer[]
  bytes: number
}

/** The returned function takes the next bytes; it throws when they cannot be tmux's. */
export function createControlReader(onEvent: (event: ControlEvent) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = []
  let block: Block | null = null

  function takeLine(line: Buffer): void {
    if (!block) {
      if (startsWith(line, '%begin ')) block = { id: textOf(line, '%begin '.length), lines: [], bytes: 0 }
      else readNotice(line, onEvent)
      return
    }
    const isEnd = isBlockEnd(line, '%end ', block)
    if (!isEnd && !isBlockEnd(line, '%error ', block)) {
      block.bytes += line.length
      if (block.bytes > MAX_BLOCK_BYTES) throw new AoError('RUNTIME_FAILED', 'tmux answered without an end')
      block.lines.push(line)
      return
    }
    const { id, lines } = block
    block = null
    if (!id.endsWith(` ${SENT_BY_CLIENT}`)) return
    const text = Buffer.concat(lines.flatMap((one) => [one, LINE_END])).toString()
    onEvent({ kind: 'reply', ok: isEnd, text })
  }

  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = chunk.subarray(start, end)
      takeLine(rest.length === 0 ? line : Buffer.concat([...rest, line]))
      rest = []
      start = end + 1
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
  }
}

const LINE_END = Buffer.from('\n')

function isBlockEnd(line: Buffer, word: string, { id }: Block): boolean {
  return line.length === word.length + id.length && startsWith(line, word) && textOf(line, word.length) === id
}

function readNotice(line: Buffer, onEvent: (event: ControlEvent) => void): void {
  const name = textOf(line, 0, endOfWord(line, 0))
  if (name === '%output' || name === '%extended-output') {
    const paneStart = name.length + 1
    const paneEnd = endOfWord(line, paneStart)
    // %extended-output has more fields, and ends them with a colon.
    const start = name === '%output' ? paneEnd + 1 : line.indexOf(' : ', paneEnd) + 3
    onEvent({ kind: 'output', pane: textOf(line, paneStart, paneEnd), bytes: unescapeOctal(line.subarray(start)) })
    return
  }
  onEvent({ kind: 'notice', name, rest: textOf(line, name.length + 1) })
}

/** tmux writes a backslash and everything below a space as three octal digits, and leaves all other bytes alone. */
export function unescapeOctal(text: Buffer): Buffer {
  let from = text.indexOf(BACKSLASH)
  if (from === -1) return text
  const bytes = Buffer.allocUnsafe(text.length)
  let length = text.copy(bytes, 0, 0, from)
  for (; from < text.length; from++) {
    const byte = text[from]!
    const isEscape = byte === BACKSLASH && from + 3 < text.length
    bytes[length++] = isEscape ? octal(text, from + 1) : byte
    if (isEscape) from += 3
  }
  return bytes.subarray(0, length)
}

function octal(text: Buffer, at: number): number {
  return ((text[at]! - 48) << 6) | ((text[at + 1]! - 48) << 3) | (text[at + 2]! - 48)
}

function endOfWord(line: Buffer, from: number): number {
  const end = line.indexOf(0x20, from)
  return end === -1 ? line.length : end
}

function startsWith(line: Buffer, word: string): boolean {
  return line.length >= word.length && textOf(line, 0, word.length) === word
}

function textOf(line: Buffer, start: number, end = line.length): string {
  return line.toString('latin1', start, end)
}
