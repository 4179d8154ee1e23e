// Runs one program at home for a command in a place: arguments that home built, input that home checked, output that is bounded.
import type { ClientHttp2Stream } from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import { startProgram } from '../../../lib/start-program.ts'
import { followInput, writeErr, writeOut } from './ask-frames.ts'

export interface HomeProgram {
  program: string
  argv: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** null: nothing to read. `stream`: whatever the command in the place says, as it comes. */
  input: string | null | 'stream'
}

/** Logs of a whole run are large, and nothing is endless. */
const MOST_OUTPUT = 64 * 1024 * 1024
/** Of what is kept in memory until it is whole. */
const MOST_TAKEN = 16 * 1024 * 1024

/** Output goes to the command as it comes; resolves with the exit code. */
export function passOutput(stream: ClientHttp2Stream, how: HomeProgram): Promise<number> {
  return run(stream, how, MOST_OUTPUT, (chunk) => writeOut(stream, chunk))
}

/** Only errors go to the command; resolves with the output. */
export async function takeOutput(
  stream: ClientHttp2Stream,
  how: HomeProgram,
): Promise<{ exitCode: number; stdout: Buffer }> {
  const chunks: Buffer[] = []
  const exitCode = await run(stream, how, MOST_TAKEN, (chunk) => chunks.push(chunk))
  return { exitCode, stdout: Buffer.concat(chunks) }
}

function run(
  stream: ClientHttp2Stream,
  { program, argv, cwd, env, input }: HomeProgram,
  most: number,
  take: (chunk: Buffer) => void,
): Promise<number> {
  const child = startProgram(program, argv, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let size = 0
  const passFrom = (source: Readable, pass: (chunk: Buffer) => void) =>
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > most) return void child.kill('SIGTERM')
      pass(chunk)
      // A command that does not read its output waits, and not we.
      if (!stream.writableNeedDrain) return
      source.pause()
      stream.once('drain', () => source.resume())
    })
  child.stdin.on('error', () => undefined)
  passFrom(child.stdout, take)
  passFrom(child.stderr, (chunk) => writeErr(stream, chunk))
  // The agent ended its command: so is ours. Its stream stays open until then.
  const stop = () => {
    child.kill('SIGTERM')
    for (const source of [child.stdout, child.stderr]) source.resume()
  }
  stream.on('close', stop)
  if (input === 'stream') {
    void followInput(stream, (data) => {
      if (data === null) return void child.stdin.end()
      return child.stdin.write(data) ? undefined : roomIn(child.stdin)
    }).then(stop)
  } else {
    child.stdin.end(input ?? '')
    stream.on('end', stop)
    stream.resume()
    if (stream.readableEnded) stop()
  }
  return new Promise((resolve) => {
    child.on('error', () => resolve(127))
    child.on('close', (code) => {
      stream.off('close', stop)
      stream.off('end', stop)
      if (size > most) writeErr(stream, Buffer.from('ao: the rest of the output was cut off\n'))
      resolve(code ?? 1)
    })
  })
}

function roomIn(target: Writable): Promise<void> {
  return new Promise((resolve) => {
    target.once('drain', resolve)
    target.once('close', resolve)
  })
}
