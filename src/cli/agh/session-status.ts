// `agh session status`: show one session: state, stop reason, failure, health.
import type { SessionView } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { sessionLines } from './session-lines.ts'

export const sessionStatusCommand = defineCommand({
  program: 'agh',
  name: 'session status',
  about: 'Show one session: state, stop reason, failure, health',
  args: { session: { about: 'Session id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ session: SessionView }>(sessionPath(args.session))
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})
