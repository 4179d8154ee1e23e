// What went wrong with a container engine, by its own words: one sentence, and the command that shows more or mends it.
import { AoError, type ErrorCode } from '../../contract/errors.ts'
import type { ExecResult } from '../../lib/exec.ts'

interface Used {
  /** The engine's command, with its context or socket. */
  engine: string
  image: string
}

interface Row {
  pattern: RegExp
  code: ErrorCode
  message(reason: string, used: Used): string
  hint(used: Used): string
}

/** What the kernel says of a program for another processor. */
const FOREIGN = /exec format error/i
export const isForeign = (text: string) => FOREIGN.test(text)
export const foreignImage = (image: string) => `The image ${image} is for another processor than the engine's machine`

/** The first row that fits; an image that cannot be pulled is also "not found" and "not reached". */
const ROWS: readonly Row[] = [
  {
    pattern:
      /pull access denied|manifest unknown|manifest for|not found: manifest|unable to find image|no such image|short-name|initializing source/i,
    code: 'PLACE_FAILED',
    message: (reason, { image }) => `The image ${image} could not be had: ${reason}`,
    hint: ({ engine, image }) => `Build it, correct \`image\`, or see what is wrong with: ${engine} pull ${image}`,
  },
  {
    pattern: /context .{0,300}not found|context not found/i,
    code: 'PLACE_FAILED',
    message: (reason) => `The container engine was not found: ${reason}`,
    hint: () => 'See which contexts there are with: docker context ls',
  },
  {
    pattern: /permission denied|cannot connect|failed to connect|connection refused|dial unix|unable to connect/i,
    code: 'PLACE_UNREACHABLE',
    message: (reason) => `The container engine cannot be reached: ${reason}`,
    hint: ({ engine }) => `Is it running, and may you use it? Try: ${engine} version`,
  },
  {
    pattern: FOREIGN,
    code: 'PLACE_FAILED',
    message: (_reason, { image }) => foreignImage(image),
    hint: ({ engine, image }) => `See which with: ${engine} image inspect --format '{{.Architecture}}' ${image}`,
  },
  {
    pattern: /"?sh"?: executable file not found|exec.{0,80}"sh".{0,80}not found|stat sh: no such file/i,
    code: 'PLACE_FAILED',
    message: (_reason, { image }) => `The image ${image} has no shell, so nothing can be run in it`,
    hint: () => 'Use an image with sh, sha256sum and git; most that are built on a distribution have them',
  },
]

export function explainFailure(result: ExecResult, used: Used): AoError {
  const details = { stderr: result.stderr.slice(-2_000) }
  if (result.startError) {
    const [program = ''] = used.engine.split(' ')
    return new AoError('TOOL_MISSING', `The command ${program} of the container engine is not on PATH`, {
      hint: 'Install Docker or Podman, or name its command with `command`',
      details,
    })
  }
  const reason = lastLine(result)
  const row = ROWS.find(({ pattern }) => pattern.test(result.stderr))
  if (row) return new AoError(row.code, row.message(reason, used), { hint: row.hint(used), details })
  const hint = `See what it says to: ${used.engine} run --rm ${used.image} true`
  return new AoError('PLACE_FAILED', `The container engine refused: ${reason}`, { hint, details })
}

export function lastLine({ stderr, timedOut, startError }: ExecResult): string {
  if (startError) return startError.message
  if (timedOut) return 'it did not answer in time'
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !/^See '|run --help/.test(line))
  const last = lines.at(-1)?.trim() ?? 'it gave no reason'
  return last.replace(/^(?:docker: )?Error(?: response from daemon)?: /i, '')
}
