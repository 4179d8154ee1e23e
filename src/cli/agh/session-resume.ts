// `agh session resume`: bring a stopped session back under its id.
import type { SessionView } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { sessionLines } from './session-lines.ts'

export const sessionResumeCommand = defineCommand({
  program: 'agh',
  name: 'session resume',
  about: 'Bring a stopped session back under its id',
  args: { session: { about: 'Session id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ session: SessionView }>(sessionPath(args.session, '/resume'), {
      method: 'POST',
    })
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})
