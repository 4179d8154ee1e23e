// Steps that can be undone. One `try` around all of them is enough.
import { errorText } from '../../contract/errors.ts'
import type { Log } from '../../lib/log.ts'

export interface Undo {
  /** Registers how to undo what was just done. */
  push(name: string, undo: () => Promise<void> | void): void
  /** Undoes everything, newest first; a failing step does not stop the others. Returns what could not be undone. */
  unwind(): Promise<Array<{ name: string; error: string }>>
}

export function createUndo(log: Log): Undo {
  const steps: Array<{ name: string; undo: () => Promise<void> | void }> = []
  return {
    push: (name, undo) => {
      steps.push({ name, undo: undo })
    },
    async unwind() {
      const failures: Array<{ name: string; error: string }> = []
      for (const { name, undo } of steps.splice(0).reverse()) {
        try {
          await undo()
        } catch (error) {
          failures.push({ name, error: errorText(error) })
          log.warn(`could not roll back: ${name}`, { error: errorText(error) })
        }
      }
      return failures
    },
  }
}
