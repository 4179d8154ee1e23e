// The live transcript in a terminal: lines scroll above, the input line stays below. Leaving changes nothing.
import { randomUUID } from 'node:crypto'
import { errorText } from '../../../contract/errors.ts'
import { createLiveLines } from '../../../core/agh/transcript/live-lines.ts'
import { foldEvent, type Transcript } from '../../../core/agh/transcript/transcript.ts'
import type { Io } from '../../print/io.ts'
import type { Agh } from '../agh-command.ts'
import { followSession } from '../daemon-link.ts'
import { paintLine } from '../lines.ts'
import { openTypedLines, type TypedLines } from './typed-lines.ts'

export interface Attach {
  sessionId: string
  readOnly: boolean
  /** How many lines of the earlier conversation. */
  lines: number
  agh: Agh
  /** How to print a note while there is an input line below. */
  noteAbove(print: (lines: readonly string[]) => void): void
  transcript: Transcript
}

export async function attachTranscript(attach: Attach, io: Io): Promise<void> {
  const left = new AbortController()
  await showPast(attach, io)
  const typed = openTypedLines(io, {
    readOnly: attach.readOnly,
    submit: (text) => void submit(attach, text, typed),
    leave: () => left.abort(),
  })
  attach.noteAbove(typed.print)
  try {
    await showLive(attach, typed, AbortSignal.any([left.signal, io.stopped]))
  } finally {
    typed.close()
  }
}

const PAGE = 5_000

async function showPast({ agh, sessionId, transcript, lines }: Attach, io: Io): Promise<void> {
  for (;;) {
    const ask = { params: { id: sessionId }, query: { after: transcript.lastSequence, limit: PAGE } }
    const { events } = await agh.call('GET /api/sessions/:id/events', ask)
    for (const event of events) foldEvent(transcript, event)
    if (events.length < PAGE) break
  }
  const live = createLiveLines()
  const all = [...transcript.messages.flatMap((message) => live.take(message)), ...live.flush()]
  if (all.length > lines) io.print(io.style.dim(`… ${all.length - lines} lines before`))
  io.printLines(all.slice(-lines).map((line) => paintLine(line, io.style)))
}

/** A partial line that has not changed for this long is shown as it is. */
const HOLD_MS = 300

async function showLive(attach: Attach, typed: TypedLines, signal: AbortSignal): Promise<void> {
  const { agh, sessionId, transcript } = attach
  const live = createLiveLines()
  // Earlier content is already on the screen; only what grows from now on is news.
  for (const message of transcript.messages) live.take(message)
  live.flush()
  let timer: NodeJS.Timeout | undefined
  try {
    const query = { after: transcript.lastSequence }
    for await (const event of followSession(agh.link, { params: { id: sessionId }, query, signal })) {
      const message = foldEvent(transcript, event)
      if (message) typed.print(live.take(message))
      clearTimeout(timer)
      timer = setTimeout(() => typed.print(live.flush()), HOLD_MS)
      if (event.type === 'session_stopped') return
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    typed.print(live.flush())
  }
}

/** A pending question takes y and n; everything else is a message, queued while a turn is running. */
async function submit({ agh, sessionId, transcript }: Attach, text: string, typed: TypedLines): Promise<void> {
  const params = { id: sessionId }
  const questions = transcript.messages.filter((one) => one.role === 'permission' && one.status === 'pending')
  const question = questions[0]
  if (questions.length > 1 && decisionFor(text) !== null) {
    const how = `agh session approve ${sessionId} --request-id <id> --decision <word>`
    return typed.print([`! Several requests wait, so it is not clear which one you mean. Name it with: ${how}`])
  }
  const decision = question ? decisionFor(text) : null
  try {
    if (text.trim() === '/cancel') await agh.call('POST /api/sessions/:id/prompt/cancel', { params })
    else if (decision && question?.role === 'permission') {
      const body = { request_id: question.request_id, decision }
      await agh.call('POST /api/sessions/:id/approve', { params, body })
    } else if (text.trim() !== '') {
      const body = { message: text, message_id: `attach-${randomUUID()}` }
      const sent = await agh.call('POST /api/driver/sessions/:id/messages', { params, body })
      if (sent.state === 'queued') typed.print(['-- queued behind the running turn'])
    }
  } catch (error) {
    typed.print([`! ${errorText(error)}`])
  }
}

function decisionFor(text: string): 'allow-once' | 'reject-once' | null {
  const word = text.trim().toLowerCase()
  if (/^(y|yes|\/allow)$/.test(word)) return 'allow-once'
  return /^(n|no|\/deny)$/.test(word) ? 'reject-once' : null
}
