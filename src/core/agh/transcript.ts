// The conversation out of the history: what was said and which tools ran, chunk by chunk joined.
import type { EventRow } from '../../contract/agh/events.ts'
import { textOf, toolCallId, toolTitle } from './read-update.ts'

export interface TranscriptMessage {
  role: 'user' | 'assistant' | 'thought' | 'tool' | 'error'
  turn_id: string | null
  sequence: number
  text: string
  tool_call_id?: string
  status?: string
}

export function buildTranscript(rows: readonly EventRow[]): TranscriptMessage[] {
  const messages: TranscriptMessage[] = []
  const tools = new Map<string, TranscriptMessage>()
  for (const row of rows) {
    const content = JSON.parse(row.content) as Record<string, unknown>
    switch (row.type) {
      case 'user_message':
        messages.push(message('user', row, String(content.text ?? '')))
        break
      case 'agent_message':
        say(messages, row, 'assistant', textOf(content) ?? '')
        break
      case 'thought':
        say(messages, row, 'thought', textOf(content) ?? '')
        break
      case 'tool_call':
      case 'tool_result':
        mergeTool(messages, tools, row, content)
        break
      case 'error':
        messages.push(message('error', row, String(content.error ?? '')))
    }
  }
  return messages.filter(({ role, text }) => role === 'user' || role === 'tool' || text !== '')
}

/** The last part of a conversation, for an agent that must take it over without having been there. */
export function recapText(messages: readonly TranscriptMessage[], maxLength: number): string {
  const lines: string[] = []
  let left = maxLength
  for (const one of [...messages].reverse()) {
    if (one.role !== 'user' && one.role !== 'assistant') continue
    const line = `${one.role === 'user' ? 'User' : 'You'}: ${one.text}`
    if (line.length > left) break
    left -= line.length
    lines.unshift(line)
  }
  return lines.join('\n\n')
}

function say(messages: TranscriptMessage[], row: EventRow, role: 'assistant' | 'thought', text: string): void {
  const last = messages.at(-1)
  if (last?.role === role && last.turn_id === row.turn_id) last.text += text
  else messages.push(message(role, row, text))
}

function mergeTool(
  messages: TranscriptMessage[],
  tools: Map<string, TranscriptMessage>,
  row: EventRow,
  content: Record<string, unknown>,
): void {
  const id = toolCallId(content) ?? String(row.sequence)
  const known = tools.get(id)
  const status = typeof content.status === 'string' ? { status: content.status } : {}
  if (known) {
    Object.assign(known, status)
    known.text = known.text || (toolTitle(content) ?? '')
    return
  }
  const made = { ...message('tool', row, toolTitle(content) ?? id), tool_call_id: id, ...status }
  tools.set(id, made)
  messages.push(made)
}

function message(role: TranscriptMessage['role'], row: EventRow, text: string): TranscriptMessage {
  return { role, turn_id: row.turn_id, sequence: row.sequence, text }
}
