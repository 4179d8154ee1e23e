// `agh session health`: show the health record of a session.
import type { SessionHealth } from '../../contract/agh/session-meta.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const sessionHealthCommand = defineCommand({
  program: 'agh',
  name: 'session health',
  about: 'Show the health record of a session',
  args: { session: { about: 'Session id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ health: SessionHealth }>(sessionPath(args.session, '/health'))
    const { state, health, attachable, eligible_for_wake } = answer.health
    printOne(io, format, answer, () => [
      `${state}  ${health}  attachable ${attachable}  eligible_for_wake ${eligible_for_wake}`,
    ])
  },
})
