// `agh session prompt`: one turn of a session, shown while it happens. Leaving does not end it.
import type { SessionEvent } from '../../contract/agh/events.ts'
import { textOf } from '../../core/agh/read-update.ts'
import { defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { toOneLine, toSafeLines } from '../print/plain-text.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat } from './output.ts'
import { describeAghEvent } from './session-lines.ts'

export const sessionPromptCommand = defineCommand({
  program: 'agh',
  name: 'session prompt',
  about: 'Run one turn of a session and show it',
  args: {
    session: { about: 'Session id', required: true },
    message: { about: 'The prompt', required: true, variadic: true },
  },
  options: { queue: { short: 'q', about: 'Wait while another prompt is worked on' }, ...OUTPUT_OPTIONS },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const body = { message: args.message.join(' '), queue: options.queue }
    const events: SessionEvent[] = []
    let failed = true
    for await (const event of openAgh(io).follow(sessionPath(args.session, '/prompt'), { method: 'POST', body })) {
      if (event.type === 'done') failed = false
      if (format === 'json') events.push(event)
      else if (format === 'jsonl') io.print(JSON.stringify(event))
      else show(event, args.session, io)
    }
    if (format === 'json') io.json({ events })
    return failed ? 1 : 0
  },
})

const SILENT: readonly string[] = ['user_message', 'thought', 'usage', 'system']

function show(event: SessionEvent, sessionId: string, io: Io): void {
  const { type, content } = event
  if (SILENT.includes(type)) return
  if (type === 'agent_message') io.write(toSafeLines(textOf(content) ?? '[not text]'))
  else if (type === 'done') io.print()
  else io.note(`${io.noteStyle.dim(`[${type}]`)} ${toOneLine(describeAghEvent(event))}`)
  if (type === 'permission' && content.decision === null) {
    io.note(`  answer with: agh session approve ${sessionId} --request-id ${content.request_id} --decision allow-once`)
  }
}
