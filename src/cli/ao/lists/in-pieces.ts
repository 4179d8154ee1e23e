/** Of at most this many UTF-16 units each. */
const PIECE = 64 * 1024

/** A long text as bytes, one piece at a time: buffers of megabytes stay with a process long after they were freed. */
export function* inPieces(text: string, size = PIECE): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    // A character of two units is not cut in half.
    const isHalf = (text.codePointAt(at + size - 1) ?? 0) > 0xffff
    const end = at + size + (isHalf ? 1 : 0)
    yield Buffer.from(text.slice(at, end))
    at = end
  }
}
