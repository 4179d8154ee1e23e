// The end of a program together with its last output.
import type { ChildProcess } from 'node:child_process'

/** What it left running may hold its pipes open for good; its own output has arrived by then. */
const LINGER_MS = 500

/** After its exit and the end of its output, or soon after its exit while something else keeps the pipes open. Once. */
export function whenEnded(
  child: ChildProcess,
  done: (code: number | null, signal: NodeJS.Signals | null) => void,
): void {
  child.once('exit', (code, signal) => {
    const linger = setTimeout(() => {
      child.off('close', onClose)
      done(code, signal)
    }, LINGER_MS)
    const onClose = () => {
      clearTimeout(linger)
      done(code, signal)
    }
    child.once('close', onClose)
  })
}
