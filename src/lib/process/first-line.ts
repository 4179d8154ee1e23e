// What a program that was just started reports on a pipe.
import type { Readable } from 'node:stream'

/** null: the stream ended, or nothing came in time. */
export function firstLine(stream: Readable, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    let text = ''
    const finish = (line: string | null) => {
      clearTimeout(timer)
      stream.destroy()
      resolve(line)
    }
    const timer = setTimeout(() => finish(null), timeoutMs)
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) finish(text.slice(0, text.indexOf('\n')))
    })
    stream.on('error', () => finish(null))
    stream.on('close', () => finish(null))
  })
}
