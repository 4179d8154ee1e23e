// `ao session messages`: what has not reached an agent yet, and can still be edited or withdrawn.

import type { WaitingMessage } from '../../../contract/dashboard/messages.ts'
import { AoError } from '../../../contract/errors.ts'
import { waitingChange } from '../../arguments/waiting-change.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { type Column, renderTable } from '../../print/table.ts'
import { openAo } from '../open-ao.ts'

/** Enough to tell them apart, and to type. */
const SHORT_ID = 8

const COLUMNS: Column<WaitingMessage>[] = [
  { title: 'ID', text: ({ messageId }) => shortId(messageId) },
  { title: 'FROM', text: ({ source }) => source },
  { title: 'WAITS', text: ({ state, why }) => toOneLine(why ?? WAITS_FOR[state]), min: 12 },
  { title: 'MESSAGE', text: ({ text }) => toOneLine(text), min: 20 },
]

const WAITS_FOR: Record<WaitingMessage['state'], string> = {
  queued: 'is being sent',
  held: 'until its question is answered',
  behind_turn: 'behind the running turn',
}

export const sessionMessagesCommand = defineCommand({
  name: 'session messages',
  about: 'List, edit or withdraw the messages that wait for an agent',
  details:
    'A message waits while the agent asks for an answer, while text is in its input line, or behind the turn that is running. A delivered one can be neither edited nor withdrawn: exit code 5.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    withdraw: { value: 'id', about: 'Withdraw this one; the beginning of its id is enough' },
    edit: { value: 'id', about: 'Replace the text of this message' },
    text: { value: 'text', about: 'The text, with --edit' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao session messages app-1 --edit 3f2a --text "Only the tests"', about: 'Another text' },
    { line: 'ao session messages app-1 --withdraw 3f2a', about: 'Not at all' },
  ],
  json: '{ sessionId, waiting: [{ messageId, text, source, since, state, why, changeable }] }',
  async run({ args, options }, io) {
    const hint = `See what waits with: ao session messages ${args.session}`
    const change = waitingChange(options, { id: 'id', hint })
    const { manager } = await openAo(io)
    if (change !== null) {
      const { messageId } = chooseMessage(args.session, await manager.waitingMessages(args.session), change.id)
      await manager.changeWaiting(args.session, messageId, change.text)
      io.note(`${change.text === null ? 'withdrawn' : 'edited'}: ${messageId}`)
    }
    const waiting = await manager.waitingMessages(args.session)
    if (options.json) return void io.json({ sessionId: args.session, waiting })
    if (waiting.length === 0) return void io.note(`No message waits for ${args.session}.`)
    io.printLines(renderTable(COLUMNS, waiting, { width: io.width() }))
  },
})

function shortId(messageId: string): string {
  return messageId.startsWith('turn-') || messageId.startsWith('prompt-') ? messageId : messageId.slice(0, SHORT_ID)
}

function chooseMessage(sessionId: string, waiting: readonly WaitingMessage[], id: string): WaitingMessage {
  const fitting = waiting.filter(({ messageId }) => messageId === id || (id !== '' && messageId.startsWith(id)))
  if (fitting.length === 1) return fitting[0]!
  if (fitting.length > 1) throw new AoError('USAGE', `${fitting.length} waiting messages begin with ${id}`)
  throw new AoError('MESSAGE_NOT_WAITING', `No message ${id} waits for ${sessionId}: it was delivered, or withdrawn`, {
    hint: `List those that wait with: ao session messages ${sessionId}`,
  })
}
