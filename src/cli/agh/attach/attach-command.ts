// `agh session attach`: the conversation of a session as it happens, with a line to type in.
import { emptyTranscript } from '../../../core/agh/transcript/transcript.ts'
import { defineCommand } from '../../command.ts'
import { openAgh, SESSION_ARGUMENT } from '../agh-command.ts'
import { attachTranscript } from './attach-transcript.ts'

export const sessionAttachCommand = defineCommand({
  program: 'agh',
  name: 'session attach',
  about: 'Show the conversation of a session live; what you type is sent to the agent',
  details:
    'A line is a message; y or n answers a question that waits; /cancel ends the turn. Ctrl-C leaves, and the session continues.',
  args: { session: SESSION_ARGUMENT },
  options: {
    'read-only': { short: 'r', about: 'Only watch' },
    lines: { short: 'n', value: 'count', about: 'Number of earlier lines to show (default 200)' },
  },
  async run({ args, options }, io) {
    let note = io.note
    const agh = openAgh(io, (line) => note(line))
    const id = await agh.resolve(args.session)
    const { session } = await agh.call('GET /api/sessions/:id', { params: { id } })
    await attachTranscript(
      {
        sessionId: session.id,
        noteAbove: (print) => {
          note = (line) => print([`-- ${line}`])
        },
        readOnly: options['read-only'] || io.stdin.isTTY !== true,
        lines: Number(options.lines ?? 200) || 200,
        agh,
        transcript: emptyTranscript(),
      },
      io,
    )
    return 0
  },
})
