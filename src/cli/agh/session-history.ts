// Commands that print what a session did: its events, its conversation, its tokens, its hooks.

import type { HookRunView, TurnUsage } from '../../contract/agh/answers.ts'
import type { SessionEvent } from '../../contract/agh/events.ts'
import type { TurnTokens } from '../../contract/agh/transcript.ts'
import { renderMessages } from '../../core/agh/transcript/render-transcript.ts'
import { tokensOf } from '../../core/agh/transcript/transcript.ts'
import { READ } from '../../core/boundary/rights.ts'
import { wholeNumber } from '../arguments/whole-number.ts'
import type { Io } from '../print/io.ts'
import { localTime } from '../print/local-time.ts'
import { toOneLine, truncate } from '../print/plain-text.ts'
import type { Column } from '../print/table.ts'
import { type Agh, aghCommand, SESSION_ARGUMENT } from './agh-command.ts'
import { followSession } from './daemon-link.ts'
import { describeAghEvent, paintLine } from './lines.ts'

export const sessionEventsCommand = aghCommand({
  name: 'session events',
  inside: READ,
  about: 'Print the history of a session, event by event',
  args: { session: SESSION_ARGUMENT },
  options: {
    after: { value: 'number', about: 'Only events after this one' },
    last: { short: 'n', value: 'count', about: 'Only the last ones' },
    type: { short: 't', value: 'type', about: 'Only events of this type' },
    follow: { short: 'f', about: 'Continue until the session stops' },
  },
  async run({ args, options, io, agh, format }) {
    const wanted = ({ type }: SessionEvent) => options.type === undefined || type === options.type
    let after = wholeNumber('--after', options.after) ?? 0
    const last = wholeNumber('--last', options.last)
    if (last !== undefined) after = await beforeLast(agh, args.session, last, options.type)
    const events = options.follow
      ? followSession(agh.link, { params: { id: args.session }, query: { after } })
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

const MOST_AT_ONCE = 10_000

/** The number before the first of the last `n` events. */
async function beforeLast(agh: Agh, id: string, last: number, type: string | undefined): Promise<number> {
  if (last > MOST_AT_ONCE) {
    const all = await readPages(agh, id, 0)
    return all.filter((event) => type === undefined || event.type === type).at(-last - 1)?.sequence ?? 0
  }
  const { events } = await agh.call('GET /api/sessions/:id/events', { params: { id }, query: { last, type } })
  // A daemon that is older than the option answers with all of them.
  const first = events.filter((event) => type === undefined || event.type === type).slice(-last)[0]
  if (first) return first.sequence - 1
  const newest = await agh.call('GET /api/sessions/:id/events', { params: { id }, query: { last: 1 } })
  return newest.events[0]?.sequence ?? 0
}

const PAGE = 5_000

async function readPages(agh: Agh, id: string, after: number): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for (let cursor = after; ; ) {
    const ask = { params: { id }, query: { after: cursor, limit: PAGE } }
    const { events } = await agh.call('GET /api/sessions/:id/events', ask)
    all.push(...events)
    if (events.length < PAGE) return all
    cursor = events.at(-1)!.sequence
  }
}

function eventLine(event: SessionEvent, io: Io): string {
  const head = `${String(event.sequence).padStart(5)}  ${localTime(event.timestamp).slice(11)}  ${event.type.padEnd(16)}`
  return `${io.style.dim(head)}  ${truncate(toOneLine(describeAghEvent(event)), io.width() - head.length - 2)}`
}

export const sessionHistoryCommand = aghCommand({
  name: 'session history',
  inside: READ,
  about: 'Print the conversation of a session, turn by turn',
  args: { session: SESSION_ARGUMENT },
  async run({ args, io, agh, format }) {
    const params = { id: args.session }
    if (format !== 'human') {
      const answer = await agh.call('GET /api/sessions/:id/history', { params })
      if (format === 'json') return void io.json(answer)
      return void io.printLines(answer.history.map((turn) => JSON.stringify(turn)))
    }
    const { messages } = await agh.call('GET /api/sessions/:id/transcript', { params })
    io.printLines(renderMessages(messages).map((line) => paintLine(line, io.style)))
  },
})

const tokens = (name: keyof TurnTokens) => (turn: TurnUsage) => String(tokensOf(turn.usage)?.[name] ?? '')

const USAGE_COLUMNS: Column<TurnUsage>[] = [
  { title: 'TURN', text: ({ turn_id }) => turn_id },
  { title: 'INPUT', text: tokens('input'), align: 'right' },
  { title: 'OUTPUT', text: tokens('output'), align: 'right' },
  { title: 'CACHE READ', text: tokens('cache_read'), align: 'right', drop: 2 },
  { title: 'CACHE WRITE', text: tokens('cache_write'), align: 'right', drop: 1 },
]

export const sessionUsageCommand = aghCommand({
  name: 'session usage',
  inside: READ,
  about: 'Show the tokens that each turn of a session used',
  args: { session: SESSION_ARGUMENT },
  async run({ args, agh, showTable }) {
    const answer = await agh.call('GET /api/sessions/:id/usage', { params: { id: args.session } })
    const empty = 'The agent reported no tokens.'
    showTable({ whole: answer, rows: answer.usage, columns: USAGE_COLUMNS, empty })
  },
})

const HOOK_COLUMNS: Column<HookRunView>[] = [
  { title: 'EVENT', text: ({ event }) => event },
  { title: 'OUTCOME', text: ({ outcome, required }) => (required ? `${outcome}, required` : outcome) },
  { title: 'MS', text: ({ duration_ms }) => String(duration_ms), align: 'right' },
  { title: 'COMMAND', text: ({ command }) => command, min: 10, drop: 1 },
  { title: 'DETAIL', text: ({ detail }) => detail, min: 8 },
]

export const sessionHooksCommand = aghCommand({
  name: 'session hooks',
  inside: READ,
  about: 'List the runs of hooks in a session',
  args: { session: SESSION_ARGUMENT },
  async run({ args, agh, showTable }) {
    const answer = await agh.call('GET /api/sessions/:id/hook-runs', { params: { id: args.session } })
    showTable({ whole: answer, rows: answer.hook_runs, columns: HOOK_COLUMNS, empty: 'No hook ran.' })
  },
})
