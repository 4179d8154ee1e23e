// `agh session inspect`: show everything known of one session, as JSON unless asked otherwise.
import type { SessionView } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { sessionLines } from './session-lines.ts'

export const sessionInspectCommand = defineCommand({
  program: 'agh',
  name: 'session inspect',
  about: 'Show everything known of one session, as JSON unless asked otherwise',
  args: { session: { about: 'Session id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat({ ...options, json: true })
    const answer = await openAgh(io).call<{ session: SessionView }>(sessionPath(args.session))
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})
