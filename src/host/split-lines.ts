// Splits a stream of bytes into lines, each with its offset in the stream, with a limit: a peer that never ends its line must
// not fill our memory.

const NEWLINE = 0x0a

/** `end`: the offset after its newline. */
export type OnLine = (line: string, end: number) => void

/**
 * Feeds chunks, each smaller than the limit and with the offset of its first byte; calls `onLine` for each complete line.
 * false: the current line exceeds the limit.
 */
export function splitLines(maxBytes: number, onLine: OnLine): (chunk: Buffer, at: number) => boolean {
  let parts: Buffer[] = []
  let size = 0
  return (chunk, at) => {
    const first = chunk.indexOf(NEWLINE)
    if (size + (first === -1 ? chunk.length : first) > maxBytes) {
      parts = []
      return false
    }
    if (first === -1) {
      parts.push(chunk)
      size += chunk.length
      return true
    }
    onLine(
      size === 0
        ? chunk.toString('utf8', 0, first)
        : Buffer.concat([...parts, chunk.subarray(0, first)]).toString('utf8'),
      at + first + 1,
    )
    // All complete lines are decoded as one text, which is much faster than one by one.
    const last = chunk.lastIndexOf(NEWLINE)
    if (last > first) {
      let end = first + 1
      for (const line of chunk.toString('utf8', first + 1, last).split('\n')) {
        end = chunk.indexOf(NEWLINE, end) + 1
        onLine(line, at + end)
      }
    }
    const rest = chunk.subarray(last + 1)
    parts = rest.length > 0 ? [rest] : []
    size = rest.length
    return true
  }
}
