// What passes between a command in a place and home: its input here, output and exit code there.
import type { ClientHttp2Stream } from 'node:http2'
import { inputLine } from '../far-contract.ts'
import { readJsonLines, writeJsonLine } from '../wire.ts'

/** The text of a pull request has room in it; nothing that is sent on has more. */
const MOST_INPUT = 4 * 1024 * 1024

export function writeOut(stream: ClientHttp2Stream, chunk: Buffer): void {
  writeJsonLine(stream, { out: chunk.toString('base64') })
}

export function writeErr(stream: ClientHttp2Stream, chunk: Buffer): void {
  writeJsonLine(stream, { err: chunk.toString('base64') })
}

export function finish(stream: ClientHttp2Stream, exit: number, why?: string): void {
  if (why) writeErr(stream, Buffer.from(`ao: ${why}\n`))
  writeJsonLine(stream, { exit })
  stream.end()
}

/** All of the command's input. Rejects when it is more than anybody would send. */
export function readInput(stream: ClientHttp2Stream): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const done = () => resolve(Buffer.concat(chunks).toString('utf8'))
    void followInput(stream, (data) => {
      if (data === null) return done()
      size += data.length
      if (size > MOST_INPUT) reject(new Error(`more than ${MOST_INPUT / 1024 / 1024} MB of input`))
      else chunks.push(data)
    }).then(done)
  })
}

/** Calls with each piece of the input as it comes, and with null at its end. Resolves when the stream is over. */
export function followInput(
  stream: ClientHttp2Stream,
  take: (data: Buffer | null) => void | Promise<void>,
): Promise<void> {
  return readJsonLines(stream, inputLine, (line) => take('data' in line ? Buffer.from(line.data, 'base64') : null))
}
