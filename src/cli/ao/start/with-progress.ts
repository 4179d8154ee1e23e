// A change that takes its time: says what it is doing, and on Ctrl-C what happens to the unfinished work.
import type { Io } from '../../io.ts'
import { createProgress, type Progress } from '../../print/progress.ts'
import { noteInterruption } from './note-interruption.ts'

/** `interrupted`: what to say on Ctrl-C, such as "The move was interrupted". */
export async function withProgress<T>(
  io: Io,
  interrupted: string,
  work: (step: Progress['step']) => Promise<T>,
  options: { verbose?: boolean } = {},
): Promise<T> {
  const progress = createProgress(io, options)
  const done = noteInterruption(io, interrupted)
  try {
    return await work(progress.step)
  } finally {
    progress.end()
    done()
  }
}
