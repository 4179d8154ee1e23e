// Ctrl-C in the middle of something that changes things: say what becomes of the half that was done.
import type { Io } from '../../io.ts'

/** Returns how to take it back when the work is done. */
export function noteInterruption(io: Io, what: string): () => void {
  return io.onInterrupt(() => {
    io.note()
    io.note(`${what}; the next ao command that changes something finishes it or rolls it back.`)
    io.note(`${io.noteStyle.cyan('hint:')} Do it now with: ao doctor --fix`)
  })
}
