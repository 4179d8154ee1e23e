// Ctrl-C in the middle of a change: explains what happens to the unfinished work.
import type { Io } from '../../io.ts'

/** Returns a function that disarms it when the work is done. */
export function noteInterruption(io: Io, what: string): () => void {
  return io.onInterrupt(() => {
    io.note()
    io.note(`${what}; the next ao command that changes something finishes it or rolls it back.`)
    io.note(`${io.noteStyle.cyan('hint:')} Do it now with: ao doctor --fix`)
  })
}
