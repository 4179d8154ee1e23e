// Runs one program at home for a command in a place: arguments that home built, input that home checked, output that is bounded.
import type { ClientHttp2Stream } from 'node:http2'
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

/** Output goes to the command as it comes; resolves with the exit code. */
export function passOutput(stream: ClientHttp2Stream, how: HomeProgram): Promise<number> {
  return run(stream, how, (chunk) => writeOut(stream, chunk))
}

/** Only errors go to the command; resolves with the output. */
export async function takeOutput(
  stream: ClientHttp2Stream,
  how: HomeProgram,
): Promise<{ exitCode: number; stdout: Buffer }> {
  const chunks: Buffer[] = []
  const exitCode = await run(stream, how, (chunk) => chunks.push(chunk))
  return { exitCode, stdout: Buffer.concat(chunks) }
}

function run(
  stream: ClientHttp2Stream,
  { program, argv, cwd, env, input }: HomeProgram,
  take: (chunk: Buffer) => void,
): Promise<number> {
  const child = startProgram(program, argv, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let size = 0
  const bounded = (pass: (chunk: Buffer) => void) => (chunk: Buffer) => {
    size += chunk.length
    if (size <= MOST_OUTPUT) return pass(chunk)
    child.kill('SIGTERM')
  }
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', bounded(take))
  child.stderr.on(
    'data',
    bounded((chunk) => writeErr(stream, chunk)),
  )
  // The agent ended its command: so is ours. Its stream stays open until then.
  const stop = () => child.kill('SIGTERM')
  stream.on('close', stop)
  if (input === 'stream') {
    void followInput(stream, (data) => (data === null ? child.stdin.end() : child.stdin.write(data))).then(stop)
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
      if (size > MOST_OUTPUT) writeErr(stream, Buffer.from('ao: the rest of the output was cut off\n'))
      resolve(code ?? 1)
    })
  })
}
