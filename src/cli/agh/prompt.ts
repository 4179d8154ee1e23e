// `agh session prompt`: one turn of a session, shown while it happens. Leaving does not end it.
import type { Frame } from '../../agh/client/send-request.ts'
import type { SessionEvent } from '../../contract/agh/events.ts'
import { textOf } from '../../core/agh/transcript/read-update.ts'
import type { Io } from '../io.ts'
import { toOneLine, toSafeLines } from '../print/plain-text.ts'
import { aghCommand, SESSION_ARGUMENT } from './agh-command.ts'
import { describeAghEvent } from './lines.ts'

export const sessionPromptCommand = aghCommand({
  name: 'session prompt',
  about: 'Run one turn of a session and show it',
  args: { session: SESSION_ARGUMENT, message: { about: 'The prompt', required: true, variadic: true } },
  options: { queue: { short: 'q', about: 'Wait while another prompt is worked on' } },
  async run({ args, options, io, agh, format }) {
    const body = { message: args.message.join(' '), queue: options.queue }
    const all: Frame[] = []
    let failed = true
    for await (const frames of agh.prompt({ params: { id: args.session }, body })) {
      if (frames.some(({ type }) => type === 'done')) failed = false
      if (format === 'json') all.push(...frames)
      else if (format === 'jsonl') io.printLines(frames.map(({ data }) => data))
      else show(frames, args.session, io)
    }
    if (format === 'json') io.json({ events: all.map(({ data }) => JSON.parse(data)) })
    return failed ? 1 : 0
  },
})

const SILENT: readonly string[] = ['user_message', 'thought', 'usage', 'system']

function show(frames: readonly Frame[], sessionId: string, io: Io): void {
  let said = ''
  for (const { type, data } of frames) {
    if (SILENT.includes(type)) continue
    const event = JSON.parse(data) as SessionEvent
    if (type === 'agent_message') said += toSafeLines(textOf(event.content) ?? '[not text]')
    else if (type === 'done') said += '\n'
    else {
      io.write(said)
      said = ''
      note(event, sessionId, io)
    }
  }
  if (said !== '') io.write(said)
}

function note(event: SessionEvent, sessionId: string, io: Io): void {
  const { type, content } = event
  io.note(`${io.noteStyle.dim(`[${type}]`)} ${toOneLine(describeAghEvent(event))}`)
  if (type === 'permission' && content.decision === null) {
    io.note(`  answer with: agh session approve ${sessionId} --request-id ${content.request_id} --decision allow-once`)
  }
}
