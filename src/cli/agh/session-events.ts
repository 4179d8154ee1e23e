// `agh session events`: print the history of a session, event by event.
import type { SessionEvent } from '../../contract/agh/events.ts'
import { AoError } from '../../contract/errors.ts'
import { defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { toOneLine, truncate } from '../print/plain-text.ts'
import { type Agh, openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat } from './output.ts'
import { describeAghEvent } from './session-lines.ts'

export const sessionEventsCommand = defineCommand({
  program: 'agh',
  name: 'session events',
  about: 'Print the history of a session, event by event',
  args: { session: { about: 'Session id', required: true } },
  options: {
    after: { value: 'number', about: 'Only events after this one' },
    last: { short: 'n', value: 'count', about: 'Only the last ones' },
    type: { short: 't', value: 'type', about: 'Only events of this type' },
    follow: { short: 'f', about: 'Go on until the session stops' },
    ...OUTPUT_OPTIONS,
  },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const agh = openAgh(io)
    const wanted = ({ type }: SessionEvent) => options.type === undefined || type === options.type
    let after = wholeNumber('--after', options.after) ?? 0
    if (options.last !== undefined) {
      const events = await readPages(agh, args.session, 0)
      after = events.filter(wanted).at(-wholeNumber('--last', options.last)! - 1)?.sequence ?? 0
    }
    const events = options.follow
      ? agh.follow(sessionPath(args.session, `/stream?after=${after}`))
      : await readPages(agh, args.session, after)
    const kept: SessionEvent[] = []
    for await (const event of events) {
      if (!wanted(event)) continue
      if (format === 'json') kept.push(event)
      else io.print(format === 'jsonl' ? JSON.stringify(event) : eventLine(event, io))
    }
    if (format === 'json') io.json({ events: kept })
  },
})

const PAGE = 5_000

async function readPages(agh: Agh, sessionId: string, after: number): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for (let cursor = after; ; ) {
    const { events } = await agh.call<{ events: SessionEvent[] }>(
      sessionPath(sessionId, `/events?after=${cursor}&limit=${PAGE}`),
    )
    all.push(...events)
    if (events.length < PAGE) return all
    cursor = events.at(-1)!.sequence
  }
}

function eventLine(event: SessionEvent, io: Io): string {
  const head = `${String(event.sequence).padStart(5)}  ${event.timestamp.slice(11, 19)}  ${event.type.padEnd(16)}`
  return `${io.style.dim(head)}  ${truncate(toOneLine(describeAghEvent(event)), io.width() - head.length - 2)}`
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new AoError('USAGE', `${option} takes a number, not ${text}`, {
    hint: `agh session events <session> ${option} 10`,
  })
}
