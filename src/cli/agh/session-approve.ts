// `agh session approve`: answer a permission request of the agent.
import { DECISIONS } from '../../contract/agh/words.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const sessionApproveCommand = defineCommand({
  program: 'agh',
  name: 'session approve',
  about: 'Answer a permission request of the agent',
  args: { session: { about: 'Session id', required: true } },
  options: {
    'request-id': { value: 'id', about: 'Which one; not needed when only one waits' },
    decision: { short: 'd', value: 'word', about: DECISIONS.join(', '), completes: DECISIONS },
    ...OUTPUT_OPTIONS,
  },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const body = {
      decision: options.decision ?? 'allow-once',
      ...(options['request-id'] ? { request_id: options['request-id'] } : {}),
    }
    const answer = await openAgh(io).call<{ request_id: string; decision: string }>(
      sessionPath(args.session, '/approve'),
      {
        method: 'POST',
        body,
      },
    )
    printOne(io, format, answer, () => [`${answer.request_id}: ${answer.decision}`])
  },
})
