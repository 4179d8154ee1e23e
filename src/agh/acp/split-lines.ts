// Bytes of a pipe to lines, with a limit: a peer that never ends its line must not fill our memory.

const NEWLINE = 0x0a

/** Feeds chunks; calls `onLine` for each complete line. false: the line being read is longer than allowed. */
export function splitLines(maxBytes: number, onLine: (line: string) => void): (chunk: Buffer) => boolean {
  let parts: Buffer[] = []
  let size = 0
  return (chunk) => {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end)
      if (size + piece.length > maxBytes) return false
      onLine(size === 0 ? piece.toString('utf8') : Buffer.concat([...parts, piece]).toString('utf8'))
      parts = []
      size = 0
      from = end + 1
    }
    size += chunk.length - from
    if (size > maxBytes) {
      parts = []
      return false
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
    return true
  }
}
