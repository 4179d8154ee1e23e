// One turn on the terminal, from the prompt to the exit code.
import type { Frame } from '../../../agh/client/send-request.ts'
import { parseSessionEvent } from '../../../contract/agh/events.ts'
import { AoError } from '../../../contract/errors.ts'
import { judgeOutcome } from '../../../core/agh/turn-outcome.ts'
import { readStdin } from '../../arguments/read-text.ts'
import type { Io } from '../../io.ts'
import type { OutputFormat } from '../agh-command.ts'
import type { Agh } from '../open-agh.ts'
import { askOnTerminal, hintPermission } from './ask-permission.ts'
import { showTurn } from './show-turn.ts'

export interface TurnRequest {
  id: string
  message: string
  /** Wait while another prompt is running. */
  queue: boolean
  /** Then it cannot be used to ask questions. */
  fromStdin: boolean
  io: Io
  agh: Agh
  format: OutputFormat
  /** What else to do, for whoever leaves before the end. */
  afterwards?: string
}

/** The exit code. */
export async function runTurn(request: TurnRequest): Promise<number> {
  const { id, message, queue, fromStdin, io, agh, format } = request
  const canAsk = format === 'human' && io.stdin.isTTY === true && io.noteIsTerminal && !fromStdin
  const permissions = canAsk ? askOnTerminal(agh, id, io) : hintPermission(id, io)
  const view = showTurn(io, permissions)
  let hasBegun = false
  const stayed = io.onInterrupt(() => io.note(leftBehind(request, hasBegun)))
  const all: Frame[] = []
  let end: Frame | undefined
  try {
    for await (const frames of agh.prompt({ params: { id }, body: { message, queue } })) {
      hasBegun = true
      end = frames.findLast(({ type }) => type === 'done' || type === 'error') ?? end
      if (format === 'json') all.push(...frames)
      else if (format === 'jsonl') io.printLines(frames.map(({ data }) => data))
      else view.take(frames)
    }
  } finally {
    stayed()
    permissions.close()
  }
  if (format === 'json') io.json({ events: all.map(({ data }) => JSON.parse(data)) })
  const { exitCode, message: problem } = judgeOutcome(end && parseSessionEvent(end.data))
  if (format === 'human' && problem !== null) io.note(problem)
  return exitCode
}

/** The words of the command line, or stdin for a single `-`. */
export async function readPrompt(parts: readonly string[], io: Io): Promise<string> {
  if (parts.length !== 1 || parts[0] !== '-') return parts.join(' ')
  const text = await readStdin(io)
  if (text.trim() !== '') return text
  throw new AoError('USAGE', 'The prompt on stdin is empty', {
    hint: 'Pipe a text into: agh session prompt <session> -',
  })
}

function leftBehind({ id, afterwards }: TurnRequest, hasBegun: boolean): string {
  const rest = afterwards === undefined ? '' : `\n${afterwards}`
  if (!hasBegun) return `\nThe turn had not begun. See what becomes of the prompt with: agh session events ${id}${rest}`
  return `\nThe turn continues. Follow it with: agh session attach ${id}; end it with: agh session cancel ${id}${rest}`
}
