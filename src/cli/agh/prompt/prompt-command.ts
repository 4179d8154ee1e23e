// `agh session prompt`: one turn of a session, shown while it happens. Leaving does not end it.
import type { Frame } from '../../../agh/client/send-request.ts'
import { parseSessionEvent } from '../../../contract/agh/events.ts'
import { AoError } from '../../../contract/errors.ts'
import { judgeOutcome } from '../../../core/agh/turn-outcome.ts'
import type { Io } from '../../io.ts'
import { readStdin } from '../../read-text.ts'
import { aghCommand, SESSION_ARGUMENT } from '../agh-command.ts'
import { askOnTerminal, hintPermission } from './ask-permission.ts'
import { showTurn } from './show-turn.ts'

export const sessionPromptCommand = aghCommand({
  name: 'session prompt',
  about: 'Run one turn of a session and show it',
  details:
    'On a terminal a permission that the agent asks for can be answered here. Ctrl-C leaves, and the turn continues.\nThe exit code is 0 when the agent ended its turn; 1 when it failed, refused or ran into a limit; 3 when it was cancelled\nbecause nothing happened for too long; 5 when somebody cancelled it.',
  args: {
    session: SESSION_ARGUMENT,
    message: { about: 'The prompt; - reads it from stdin', required: true, variadic: true },
  },
  options: { queue: { short: 'q', about: 'Wait while another prompt is worked on' } },
  examples: [
    { line: 'git diff | agh session prompt review -', about: 'The prompt from stdin, to the session named review' },
  ],
  async run({ args, options, io, agh, format }) {
    const id = args.session
    const message =
      args.message.length === 1 && args.message[0] === '-' ? await readMessage(io) : args.message.join(' ')
    const canAsk = format === 'human' && io.stdin.isTTY === true && io.noteIsTerminal && args.message[0] !== '-'
    const permissions = canAsk ? askOnTerminal(agh, id, io) : hintPermission(id, io)
    const view = showTurn(io, permissions)
    let hasBegun = false
    const stayed = io.onInterrupt(() => io.note(leftBehind(id, hasBegun)))
    const all: Frame[] = []
    let end: Frame | undefined
    try {
      for await (const frames of agh.prompt({ params: { id }, body: { message, queue: options.queue } })) {
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
    const { exitCode, words } = judgeOutcome(end && parseSessionEvent(end.data))
    if (format === 'human' && words !== null) io.note(words)
    return exitCode
  },
})

async function readMessage(io: Io): Promise<string> {
  const text = await readStdin(io)
  if (text.trim() !== '') return text
  throw new AoError('USAGE', 'The prompt on stdin is empty', {
    hint: 'Pipe a text into: agh session prompt <session> -',
  })
}

function leftBehind(id: string, hasBegun: boolean): string {
  if (!hasBegun) return `\nThe turn had not begun. See what becomes of the prompt with: agh session events ${id}`
  return `\nThe turn continues. Follow it with: agh session attach ${id}; end it with: agh session cancel ${id}`
}
