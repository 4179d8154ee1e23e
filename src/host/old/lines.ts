// The language of the hosts of terminals up to 0.1: one JSON object per line. Translated from and to frames, for agents that were
// started before an upgrade. To be deleted with the release after the next, when no such agent can be running any longer.
import { StringDecoder } from 'node:string_decoder'
import type { HostFrame, HostState, ReaderFrame, Wire } from '../protocol.ts'

type Translated = [frame: HostFrame, payload?: string | undefined]

type Answer =
  | { ok: true; text?: string; name?: string; seen?: boolean | null }
  | { ok: false; error: string; partly?: true; refused?: true }

type Event =
  | { event: 'screen' | 'output'; data: string }
  | { event: 'size'; cols: number; rows: number }
  | { event: 'exit'; exitCode: number | null; signal: NodeJS.Signals | null }

const UNKNOWN_REQUEST = 'unknown request'
/** A message of a megabyte with every character escaped. */
const MAX_LINE_CHARACTERS = 8 * 1024 * 1024

/** By the first line of its answer to a frame. */
export function readsLines(line: Buffer): boolean {
  return !('op' in (JSON.parse(line.toString('utf8')) as object))
}

/** `write`: the questions that replace a hello. */
export function speakLines(write: (line: string) => void): Wire {
  /** Answers have no number; they come in the order of the requests. */
  const pending: Array<(answer: Answer) => Translated | null> = []
  let size = { cols: 80, rows: 24 }

  function translate(frame: ReaderFrame, text: string): object | null {
    switch (frame.op) {
      case 'in':
        if (frame.n === undefined) return { op: 'input', data: text }
        pending.push(took(frame.n))
        return { op: 'keys', data: text, id: frame.key }
      case 'paste':
        pending.push(took(frame.n))
        return { op: 'paste', text, id: frame.key }
      case 'screen': {
        const { n, lines, styled } = frame
        pending.push((answer) => [{ op: 'text', n }, answer.ok ? answer.text : ''])
        return lines === undefined ? { op: 'screen', styled } : { op: 'output', lines }
      }
      case 'seen': {
        const { n, since, now } = frame
        pending.push((answer) => [{ op: 'seen', n, seen: (answer.ok && answer.seen) ?? null }])
        return { op: 'seen', text, since, now }
      }
      case 'stop':
        pending.push(() => [{ op: 'stopped', left: [] }])
        return { op: 'stop', graceMs: frame.graceMs }
      case 'resize':
        size = { cols: frame.cols, rows: frame.rows }
        return { op: 'resize', ...size }
      case 'view':
        return frame.answers ? { op: 'attach', ...size } : { op: 'view' }
      default:
        return null
    }
  }

  const greet = (answer: Answer): Translated | null => {
    // Also what a line to a place says while it has none to pass anything on to.
    if (!answer.ok && answer.error !== UNKNOWN_REQUEST)
      return [{ op: 'refused', why: answer.error, isPassing: answer.error.includes('cannot be reached') }]
    pending.push((status) => {
      const state: Partial<HostState> = { name: status.ok ? status.name : undefined }
      return [{ op: 'state' }, JSON.stringify(state)]
    })
    write('{"op":"status"}\n{"op":"await-end"}\n')
    return null
  }
  pending.push(greet)

  const understand = (value: Answer | Event): Translated | null => {
    if (!('event' in value)) return pending.shift()?.(value) ?? null
    if (value.event === 'size') return [{ op: 'size', cols: value.cols, rows: value.rows }]
    if (value.event === 'exit') return [{ op: 'exit', code: value.exitCode, signal: value.signal }]
    return [value.event === 'screen' ? { op: 'picture', at: 0 } : { op: 'out', at: 0 }, value.data]
  }

  return {
    encode(frame, payload) {
      const request = translate(frame, payload?.toString('utf8') ?? '')
      return Buffer.from(request === null ? '' : `${JSON.stringify(request)}\n`)
    },
    read(onFrame) {
      const decoder = new StringDecoder('utf8')
      let rest = ''
      return (chunk) => {
        const lines = (rest + decoder.write(chunk)).split('\n')
        rest = lines.pop() ?? ''
        if (rest.length > MAX_LINE_CHARACTERS) throw new Error('a line is too long')
        for (const line of lines) {
          const understood = understand(JSON.parse(line) as Answer | Event)
          if (understood) onFrame(understood[0], Buffer.from(understood[1] ?? ''))
        }
      }
    },
  }
}

function took(n: number): (answer: Answer) => Translated {
  return (answer) => {
    if (answer.ok) return [{ op: 'took', n, ok: true }]
    const { error, partly, refused } = answer
    const isTooOld = error === UNKNOWN_REQUEST
    const why = isTooOld ? 'an older version of ao started it; kill and restore the session' : error
    return [{ op: 'took', n, ok: false, why, partly, refused }]
  }
}
