// Runs a program to its end: argv only, bounded in time and output, its whole process group killed on timeout.
import { killGroup } from './process/kill-group.ts'
import { startProgram } from './start-program.ts'

export interface ExecOptions {
  cwd?: string | undefined
  env?: NodeJS.ProcessEnv | undefined
  input?: string | Buffer | undefined
  /** It has failed unless it read all of it: half of a list would be all that it was about. */
  readsAll?: boolean | undefined
  timeoutMs?: number | undefined
  /** Output beyond this is dropped, oldest first; the end is what explains a failure. */
  maxOutputBytes?: number | undefined
  /** How the bytes of stdout become text: `latin1` keeps every byte. */
  encoding?: 'utf8' | 'latin1' | undefined
  /** Ends it early, the same way as a timeout. */
  signal?: AbortSignal | undefined
}

export interface ExecResult {
  ok: boolean
  /** null when a signal ended it or it never started. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  timedOut: boolean
  /** The program could not be started at all (ENOENT, EACCES, …). */
  startError: NodeJS.ErrnoException | null
  /** Why it did not get all of its input. A program may close its end, and its exit code says what happened. */
  inputError?: NodeJS.ErrnoException | null
}

/** How writing to a program fails that does not read. */
const UNREAD: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET'])

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_MAX_OUTPUT = 16 * 1024 * 1024

/** Never rejects: how the program ended is the result. */
export function exec(command: string, args: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
  return new Promise((resolve) => {
    const child = startProgram(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Its own group, so that a timeout ends its children too.
      detached: true,
    })
    const limit = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT
    const stdout = collectTail(limit)
    const stderr = collectTail(limit)
    let timedOut = false
    let startError: NodeJS.ErrnoException | null = null
    let inputError: NodeJS.ErrnoException | null = null

    const timer = setTimeout(() => {
      timedOut = true
      end()
    }, options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    const onAbort = () => end()
    let isEnding = false
    /** Its pipes may be held by a program that is not ours, such as a stopped tmux server: they are not waited for. */
    function end(): void {
      isEnding = true
      killGroup(child.pid)
      if (child.exitCode !== null || child.signalCode !== null) finish(child.exitCode, child.signalCode)
    }
    if (options.signal?.aborted) onAbort()
    options.signal?.addEventListener('abort', onAbort, { once: true })

    child.stdout.on('data', stdout.push)
    child.stderr.on('data', stderr.push)
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      if (options.input?.length) inputError = error
    })
    child.stdin.end(options.input)
    child.on('error', (error: NodeJS.ErrnoException) => {
      startError = error
      // It may be running, and only what it prints is lost.
      end()
      finish(null, null)
    })
    child.on('exit', (exitCode, signal) => {
      // What it printed before is read first.
      if (isEnding) setImmediate(() => finish(exitCode, signal))
    })
    child.on('close', finish)

    let finished = false
    function finish(exitCode: number | null, signal: NodeJS.Signals | null): void {
      if (finished) return
      finished = true
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      if (isEnding) for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
      resolve({
        ok: exitCode === 0 && !timedOut && (inputError === null || (!options.readsAll && UNREAD.has(inputError.code))),
        exitCode,
        signal,
        stdout: stdout.text(options.encoding),
        stderr: stderr.text(),
        timedOut,
        startError,
        inputError,
      })
    }
  })
}

/** Why a run failed, in one line for people. */
export function execFailure(command: string, result: ExecResult): string {
  if (result.startError?.code === 'ENOENT') return `${command} is not installed or not on PATH`
  if (result.startError) return `${command} could not be started: ${result.startError.message}`
  if (result.timedOut) return `${command} did not finish in time`
  if (result.exitCode === 0 && result.inputError)
    return `${command} did not get its input: ${result.inputError.message}`
  const output = (result.stderr.trim() || result.stdout.trim()).split('\n').slice(-3).join(' / ')
  const how = result.signal ? `was ended by ${result.signal}` : `exited with ${result.exitCode}`
  return output ? `${command} ${how}: ${output}` : `${command} ${how}`
}

function collectTail(limit: number): { push(chunk: Buffer): void; text(encoding?: 'utf8' | 'latin1'): string } {
  let chunks: Buffer[] = []
  let size = 0
  return {
    push(chunk) {
      chunks.push(chunk)
      size += chunk.length
      if (size > limit * 2) {
        chunks = [Buffer.concat(chunks).subarray(-limit)]
        size = limit
      }
    },
    text(encoding = 'utf8') {
      const all = Buffer.concat(chunks)
      return (all.length > limit ? all.subarray(-limit) : all).toString(encoding)
    },
  }
}
