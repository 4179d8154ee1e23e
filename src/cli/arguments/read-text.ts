// Text from a file or from stdin, byte for byte, bounded; and a yes or no from a person.
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { readBytes } from '../../lib/plain-file.ts'
import type { Io } from '../print/io.ts'

/** More than any runtime accepts: the runtime's own limit gives the better message. */
const MAX_BYTES = 16 * 1024 * 1024

/** `-` is stdin. */
export async function readText(file: string, io: Io): Promise<string> {
  return file === '-' ? readStdin(io) : readFileText(resolve(io.cwd, file))
}

export async function readStdin(io: Io): Promise<string> {
  if (io.stdin.isTTY) io.note('Type the text, end it with Ctrl-D on a line by itself.')
  return decode(await readStream(io.stdin, 'stdin'), 'stdin')
}

async function readStream(stream: NodeJS.ReadableStream, origin: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MAX_BYTES) throw tooLong(origin)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** What a shell puts in place of `<(command)`. Any other pipe or device could keep the command waiting for ever. */
const SUBSTITUTED = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/

async function readFileText(path: string): Promise<string> {
  let bytes: Buffer
  try {
    bytes = SUBSTITUTED.test(path)
      ? await readStream(createReadStream(path), path)
      : readBytes(path, { maxBytes: MAX_BYTES })
  } catch (error) {
    if (error instanceof AoError && error.code === 'USAGE') throw error
    throw new AoError('USAGE', `${path} cannot be read: ${errorText(error)}`, {
      hint: 'Name a plain file that exists, or - for stdin',
      cause: error,
    })
  }
  return decode(bytes, path)
}

/** Bytes that are not text would arrive as other bytes: better not at all. */
function decode(bytes: Buffer, origin: string): string {
  const text = bytes.toString('utf8')
  if (Buffer.from(text, 'utf8').equals(bytes)) return text
  throw new AoError('USAGE', `${origin} is not UTF-8 text`, { hint: 'Send text; for other files send their path' })
}

function tooLong(origin: string): AoError {
  return new AoError('USAGE', `${origin} holds more than ${MAX_BYTES} bytes`, {
    hint: 'Put the text into a file of the workspace and send its path',
  })
}

/** Only where a person can be asked: stdin and stderr are a terminal. */
export async function askYesNo(question: string, io: Io): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: io.stdin, output: process.stderr })
  const answer = await reader.question(`${question} [y/N] `).finally(() => reader.close())
  return /^y(es)?$/i.test(answer.trim())
}
