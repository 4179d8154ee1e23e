// `ao session transcript`: the conversation with an agent, or what its terminal shows.

import type { TranscriptMessage } from '../../../contract/agh/transcript.ts'
import { AoError } from '../../../contract/errors.ts'
import { renderMessages } from '../../../core/agh/transcript/render-transcript.ts'
import { OWN_SESSION } from '../../../core/boundary/rights.ts'
import { requireAnySession } from '../../../manager/observe/require-session.ts'
import { readImportedTranscript } from '../../../manager/transfer/imported-transcript.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

const DEFAULT_LINES = 200

export const sessionTranscriptCommand = defineCommand({
  name: 'session transcript',
  inside: OWN_SESSION,
  about: 'Print the conversation of a session',
  details: 'Of a session without runtime acp the last lines of its terminal are printed while the agent is running.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    lines: { short: 'n', value: 'count', about: `Number of terminal lines (default ${DEFAULT_LINES})` },
    json: JSON_OPTION,
  },
  json: "{ sessionId, kind: 'conversation', messages: [{ role, text, … }] } | { sessionId, kind: 'terminal', text }",
  tool: {
    name: 'read_transcript',
    title: 'Read a conversation',
    description: 'The conversation of a session, or the last lines of its terminal where it has one instead.',
    hints: READS,
    input: { session: {}, lines: { whole: [1, 10_000] } },
    output: { kind: ['conversation', 'terminal'] },
  },
  async run({ args, options }, io) {
    const lines = wholeNumber('--lines', options.lines, { least: 1, most: 999_999 }) ?? DEFAULT_LINES
    const ao = await openAo(io)
    const { session, store } = await requireAnySession(ao.context, args.session)
    const messages = (await conversationOf()) ?? importedMessages(store.paths.stateDir(session.id))
    if (messages !== null) {
      if (options.json) return void io.json({ sessionId: session.id, kind: 'conversation', messages })
      return void io.printLines(renderMessages(messages))
    }
    const text = await ao.manager.readScreen(session, lines)
    if (options.json) return void io.json({ sessionId: session.id, kind: 'terminal', text })
    io.write(text === '' || text.endsWith('\n') ? text : `${text}\n`)
    if (text === '') io.note(`The agent is not running. See its terminal recording with: ao session log ${session.id}`)

    /** null: it has a terminal instead. */
    async function conversationOf() {
      try {
        return (await ao.manager.readTranscript(session.id)).messages
      } catch (error) {
        if (error instanceof AoError && error.code === 'STATE_REFUSED') return null
        throw error
      }
    }
  },
})

/** Of a session that was exported elsewhere. null: it has none. */
function importedMessages(stateDir: string): TranscriptMessage[] | null {
  const text = readImportedTranscript(stateDir)
  if (text === null) return null
  try {
    const messages = JSON.parse(text) as TranscriptMessage[]
    renderMessages(messages)
    return messages
  } catch {
    // Whatever it is, it is not a conversation.
    return null
  }
}
