// One key, or one line, from the terminal. Nothing is read between two of them.
import { createInterface } from 'node:readline/promises'
import type { Io } from '../../print/io.ts'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

const PENDING_MS = 20

/** Keys typed before a question was shown are no answer to it. */
export function discardTyped({ stdin }: Pick<Io, 'stdin'>): Promise<void> {
  const drop = () => undefined
  stdin.setRawMode(true)
  stdin.on('data', drop)
  stdin.resume()
  return new Promise((resolve) => {
    // After a turn of the event loop that has read whatever was there.
    setTimeout(() => {
      setImmediate(() => {
        stdin.off('data', drop)
        stdin.setRawMode(false)
        stdin.pause()
        resolve()
      })
    }, PENDING_MS)
  })
}

/** `q` for Ctrl-C, Ctrl-D and the end of input. */
export function readKey({ stdin }: Pick<Io, 'stdin'>): Promise<string> {
  if (stdin.readableEnded) return Promise.resolve('q')
  return new Promise((resolve) => {
    const done = (key: string) => {
      stdin.off('data', take)
      stdin.off('end', end)
      stdin.setRawMode(false)
      stdin.pause()
      resolve(key)
    }
    // Text that was pasted or typed ahead is not a decision: only its first key counts.
    const take = (bytes: Buffer) => {
      const [key = ''] = bytes.toString()
      done(key === CTRL_C || key === CTRL_D ? 'q' : key)
    }
    const end = () => done('q')
    stdin.setRawMode(true)
    stdin.on('data', take)
    stdin.on('end', end)
    stdin.resume()
  })
}

/** Empty: the person thought better of it. */
export async function readLine({ stdin }: Pick<Io, 'stdin'>, prompt: string): Promise<string> {
  const input = createInterface({ input: stdin, output: process.stdout, terminal: true })
  const stop = new AbortController()
  input.on('SIGINT', () => stop.abort())
  try {
    return (await input.question(prompt, { signal: stop.signal })).trim()
  } catch (error) {
    if (stop.signal.aborted) return ''
    throw error
  } finally {
    input.close()
  }
}
