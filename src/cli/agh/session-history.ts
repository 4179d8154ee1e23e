// `agh session history`: print the conversation of a session, turn by turn.

import type { TranscriptMessage } from '../../contract/agh/transcript.ts'
import type { TurnHistory } from '../../core/agh/transcript/group-by-turn.ts'
import { renderMessages } from '../../core/agh/transcript/render-transcript.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat } from './output.ts'
import { paintLine } from './paint-line.ts'

export const sessionHistoryCommand = defineCommand({
  program: 'agh',
  name: 'session history',
  about: 'Print the conversation of a session, turn by turn',
  args: { session: { about: 'Session id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const agh = openAgh(io)
    if (format !== 'human') {
      const answer = await agh.call<{ history: TurnHistory[] }>(sessionPath(args.session, '/history'))
      if (format === 'json') return void io.json(answer)
      return void io.printLines(answer.history.map((turn) => JSON.stringify(turn)))
    }
    const { messages } = await agh.call<{ messages: TranscriptMessage[] }>(sessionPath(args.session, '/transcript'))
    io.printLines(renderMessages(messages).map((line) => paintLine(line, io.style)))
  },
})
