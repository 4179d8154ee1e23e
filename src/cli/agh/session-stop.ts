// `agh session stop`: stop a session; its history stays.
import type { SessionView } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { sessionLines } from './session-lines.ts'

export const sessionStopCommand = defineCommand({
  program: 'agh',
  name: 'session stop',
  about: 'Stop a session; its history stays',
  args: { session: { about: 'Session id', required: true } },
  options: {
    detail: { value: 'text', about: 'Why; max_iterations, loop_detected and budget_exceeded become the stop reason' },
    ...OUTPUT_OPTIONS,
  },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ session: SessionView }>(sessionPath(args.session, '/stop'), {
      method: 'POST',
      body: options.detail === undefined ? {} : { detail: options.detail },
    })
    printOne(io, format, answer, () => sessionLines(io, answer.session))
  },
})
