// The conversation as plain lines, for terminals and for the question of what a session shows. No colours, no widths.

import type { FileDiff, TranscriptMessage } from '../../../contract/agh/transcript.ts'
import { describeRequest } from '../../queue/describe-request.ts'
import { ownValue } from '../../text/json-fields.ts'

const TOOL_OUTPUT_LINES = 10

export function renderMessages(messages: readonly TranscriptMessage[]): string[] {
  return messages.flatMap(renderMessage)
}

export function renderMessage(message: TranscriptMessage): string[] {
  switch (message.role) {
    case 'user':
      return linesOf(message.text).map((line) => `> ${line}`)
    case 'assistant':
      return [
        ...linesOf(message.text),
        ...message.attachments.map((one) => `[${one.type} ${one.name ?? one.uri ?? ''}]`),
      ]
    case 'thought':
      return linesOf(message.text).map((line) => `~ ${line}`)
    case 'tool':
      return [
        `* ${message.text} (${message.status.replace('_', ' ')})`,
        ...message.diffs.map((diff) => `    ${describeDiff(diff)}`),
        ...linesOf(message.output)
          .slice(-TOOL_OUTPUT_LINES)
          .map((line) => `    ${line}`),
      ]
    case 'plan':
      if (message.entries.length === 0) return []
      return [
        'plan:',
        ...message.entries.map(({ status, content }) => `  ${ownValue(BOXES, status) ?? '[ ]'} ${content}`),
      ]
    case 'permission':
      return permissionLines(message)
    case 'error':
      return linesOf(message.text).map((line) => `! ${line}`)
    case 'notice':
      return message.kind === 'session_started' ? [] : [`-- ${message.text}`]
    case 'usage':
    case 'turn_end':
      return []
  }
}

const BOXES: Readonly<Record<string, string>> = { completed: '[x]', in_progress: '[>]' }

/** What will be executed, before the agent's own words for it. */
function permissionLines(message: TranscriptMessage & { role: 'permission' }): string[] {
  const { text, input, input_cut, request_id } = message
  const [first = '', ...more] = describeRequest({ title: text, input, isCut: input_cut })
  return [`? ${first} [${request_id}] ${describeAnswer(message)}`, ...more.map((line) => `?   ${line}`)]
}

function describeAnswer({ status, decision, decided_by, options }: TranscriptMessage & { role: 'permission' }): string {
  if (status === 'pending') return `waits: ${options.map(({ name }) => name).join(' / ')}`
  return decided_by === null ? `${decision}` : `${decision} (${decided_by})`
}

/** `path +3 -1`: enough to know what happened; the full diff is in the event log. */
export function describeDiff({ path, old_text, new_text }: FileDiff): string {
  const before = old_text === null ? [] : linesOf(old_text)
  const after = linesOf(new_text)
  const rest = countsOf(before)
  let kept = 0
  for (const line of after) {
    const left = rest.get(line) ?? 0
    if (left === 0) continue
    rest.set(line, left - 1)
    kept++
  }
  return `${path} +${after.length - kept} -${before.length - kept}`
}

function countsOf(lines: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}
