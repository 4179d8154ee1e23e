// Splits the bytes of a pipe into lines, with a limit: a peer that never ends its line must not fill our memory.

const NEWLINE = 0x0a

/**
 * Feeds chunks, each smaller than the limit; calls `onLine` for each complete line. false: the current line exceeds the
 * limit.
 */
export function splitLines(maxBytes: number, onLine: (line: string) => void): (chunk: Buffer) => boolean {
  let parts: Buffer[] = []
  let size = 0
  return (chunk) => {
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
    )
    // All complete lines are decoded as one text, which is much faster than one by one.
    const last = chunk.lastIndexOf(NEWLINE)
    if (last > first) for (const line of chunk.toString('utf8', first + 1, last).split('\n')) onLine(line)
    const rest = chunk.subarray(last + 1)
    parts = rest.length > 0 ? [rest] : []
    size = rest.length
    return true
  }
}
