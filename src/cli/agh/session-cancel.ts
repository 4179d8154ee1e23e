// `agh session cancel`: ask the agent to end the turn that runs; the session goes on.
import type { SessionView } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { sessionLines } from './session-lines.ts'

export const sessionCancelCommand = defineCommand({
  program: 'agh',
  name: 'session cancel',
  about: 'Ask the agent to end the turn that runs; the session goes on',
  args: { session: { about: 'Session id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ session: SessionView }>(sessionPath(args.session, '/prompt/cancel'), {
      method: 'POST',
    })
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})
