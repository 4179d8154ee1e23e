// The last bytes of a potentially endless stream.

export interface TailBuffer {
  push(chunk: Buffer): void
  text(): string
  /** Total bytes received, including those already dropped. */
  total(): number
}

export function createTailBuffer(maxBytes: number): TailBuffer {
  let chunks: Buffer[] = []
  let kept = 0
  let total = 0
  return {
    push(chunk) {
      chunks.push(chunk)
      kept += chunk.length
      total += chunk.length
      // Joined rarely: most chunks are only appended.
      if (kept <= 2 * maxBytes) return
      chunks = [endOf(chunks, maxBytes)]
      kept = chunks[0]!.length
    },
    text: () => dropHalfCharacter(endOf(chunks, maxBytes)).toString('utf8'),
    total: () => total,
  }
}

function endOf(chunks: Buffer[], maxBytes: number): Buffer {
  const all = Buffer.concat(chunks)
  return all.length > maxBytes ? all.subarray(all.length - maxBytes) : all
}

/** After a cut at an arbitrary byte, the first character may be incomplete. */
function dropHalfCharacter(bytes: Buffer): Buffer {
  let from = 0
  while (from < 4 && from < bytes.length && (bytes[from]! & 0xc0) === 0x80) from++
  return bytes.subarray(from)
}
