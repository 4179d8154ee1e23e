// Parses terminal bytes into keys. Pure: chunks in, keys out; a sequence may be split across chunks anywhere.
import { StringDecoder } from 'node:string_decoder'

export type Key =
  | { type: 'text'; text: string }
  /** One block, including newlines: a paste never submits by itself. */
  | { type: 'paste'; text: string }
  | { type: 'enter' | 'backspace' | 'clear' | 'interrupt' | 'end' }

const PASTE_START = '\x1b[200~'
const PASTE_END = '\x1b[201~'

export function createKeyReader(): { feed(chunk: Buffer): Key[] } {
  const decoder = new StringDecoder('utf8')
  let pending = ''
  let pasted: string[] | null = null

  return { feed }

  function feed(chunk: Buffer): Key[] {
    pending += decoder.write(chunk)
    const keys: Key[] = []
    while (pending !== '') {
      const progressed = pasted === null ? readKey(keys) : readPaste(keys)
      if (!progressed) break
    }
    return keys
  }

  function readPaste(keys: Key[]): boolean {
    const end = pending.indexOf(PASTE_END)
    if (end === -1) {
      // The marker itself may be cut in two: keep as much as could be its beginning.
      const keep = partialSuffix(pending, PASTE_END)
      pasted!.push(pending.slice(0, pending.length - keep))
      pending = pending.slice(pending.length - keep)
      return false
    }
    pasted!.push(pending.slice(0, end))
    pending = pending.slice(end + PASTE_END.length)
    keys.push({ type: 'paste', text: pasted!.join('').replace(/\r\n?/g, '\n') })
    pasted = null
    return true
  }

  function readKey(keys: Key[]): boolean {
    if (pending.startsWith(PASTE_START)) {
      pasted = []
      pending = pending.slice(PASTE_START.length)
      return true
    }
    if (pending[0] === '\x1b') return skipEscape()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: telling control characters from text is the job here.
    const text = /^[^\x00-\x1f\x7f]+/.exec(pending)?.[0]
    if (text) {
      keys.push({ type: 'text', text })
      pending = pending.slice(text.length)
      return true
    }
    const key = CONTROL[pending[0]!]
    // Enter may arrive as \r\n: one Enter.
    pending = pending.slice(pending.startsWith('\r\n') ? 2 : 1)
    if (key) keys.push({ type: key })
    return true
  }

  /** Arrow keys and the like are ignored; false: the rest of the sequence has not arrived yet. */
  function skipEscape(): boolean {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with one.
    const sequence = /^\x1b(?:\[[0-9;?<]*[ -/]*[@-~]|O.)/.exec(pending)?.[0]
    // Anything else after Escape is a key of its own.
    const isUnfinished = pending.length < MAX_SEQUENCE && /^.(?:$|[[O])/s.test(pending)
    if (!sequence && isUnfinished) return false
    pending = pending.slice(sequence?.length ?? 1)
    return true
  }
}

const MAX_SEQUENCE = 32

const CONTROL: Record<string, Exclude<Key['type'], 'text' | 'paste'>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x15': 'clear',
  '\x03': 'interrupt',
  '\x04': 'end',
}

function partialSuffix(text: string, marker: string): number {
  for (let length = Math.min(marker.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(marker.slice(0, length))) return length
  }
  return 0
}
