// `ao session retry`: a turn that failed, once more.
import { AoError } from '../../../contract/errors.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const sessionRetryCommand = defineCommand({
  name: 'session retry',
  about: 'Try the failed turn of an agent again',
  details:
    'With runtime acp the same prompt is sent again, word for word; each failed turn once, while it is the newest. An agent in a terminal gets a message that asks it to try again.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { json: JSON_OPTION },
  json: '{ sessionId, turn: { turnId, retries } or null, receipt: { messageId, level, why? } or null }',
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    const result = await manager.retryTurn(args.session)
    const isLost = result.receipt?.level === 'undelivered'
    if (options.json) io.json({ sessionId: args.session, ...result })
    else if (isLost) io.note(`${io.noteStyle.red('not delivered')} to ${args.session}: ${result.receipt?.why ?? ''}`)
    else io.print(result.turn ? `${args.session} has its prompt again` : `${args.session} was asked to try again`)
    return isLost ? new AoError('MESSAGE_UNDELIVERED', '').exitCode : 0
  },
})
