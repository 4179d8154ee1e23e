// `agh session prompt`: one turn of a session, shown live. Leaving does not end it.

import { ACT } from '../../../core/boundary/rights.ts'
import { aghCommand, SESSION_ARGUMENT } from '../agh-command.ts'
import { readPrompt, runTurn } from './run-turn.ts'

export const sessionPromptCommand = aghCommand({
  name: 'session prompt',
  inside: ACT,
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
    const message = await readPrompt(args.message, io)
    return runTurn({ id, message, queue: options.queue, fromStdin: args.message[0] === '-', io, agh, format })
  },
})
