// The events of a turn as text: the agent's words on stdout, everything else on stderr.

import type { Frame } from '../../../agh/client/send-request.ts'
import { type PermissionContent, parseSessionEvent, type SessionEvent } from '../../../contract/agh/events.ts'
import { textOf, toolCallId, toolTitle } from '../../../core/agh/transcript/read-update.ts'
import { describeRequest } from '../../../core/queue/describe-request.ts'
import { readInput, titleOf } from '../../../core/queue/read-input.ts'
import type { Io } from '../../io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { describeAghEvent } from '../lines.ts'

/** What happens to a question of the agent. */
export interface Permissions {
  requested(requestId: string, title: string): void
  decided(requestId: string): void
  close(): void
}

const SILENT: readonly string[] = ['user_message', 'thought', 'usage', 'system']

export function showTurn(io: Io, permissions: Permissions): { take(frames: readonly Frame[]): void } {
  /** Results contain only the id of their call. */
  const titles = new Map<string, string>()
  let printed = ''
  const flush = () => {
    if (printed !== '') io.write(printed)
    printed = ''
  }
  const take = (event: SessionEvent) => {
    const { type, content } = event
    if (type === 'agent_message') printed += toSafeLines(textOf(content) ?? '[not text]')
    else if (type === 'done') printed += '\n'
    else {
      flush()
      if (type === 'permission') notePermission(content)
      else for (const line of linesOf(event)) note(type, line)
    }
  }
  const note = (type: string, line: string) => io.note(`${io.noteStyle.dim(`[${type}]`)} ${toOneLine(line)}`)
  const notePermission = (content: PermissionContent) => {
    const id = content.request_id ?? ''
    if (content.decision === null) return permissions.requested(id, requestOf(content))
    permissions.decided(id)
    note('permission', `${content.title}: ${content.decision}`)
  }
  const linesOf = (event: SessionEvent): string[] => {
    if (event.type === 'plan') return planLines(event.content)
    if (event.type !== 'tool_call' && event.type !== 'tool_result') return [describeAghEvent(event)]
    const { content } = event
    const id = toolCallId(content)
    if (id === null) return [describeAghEvent(event)]
    const title = toolTitle(content) ?? titles.get(id) ?? id
    titles.set(id, title)
    return [[title, content.status].filter(Boolean).join(' ')]
  }
  return {
    take(frames) {
      for (const { type, data } of frames) if (!SILENT.includes(type)) take(parseSessionEvent(data))
      flush()
    },
  }
}

const MARKS: Readonly<Record<string, string>> = { completed: 'x', in_progress: '>' }

function planLines({ entries }: Record<string, unknown>): string[] {
  if (!Array.isArray(entries)) return ['(empty)']
  return entries.map((entry: { content?: unknown; status?: unknown }) => {
    return `[${MARKS[String(entry.status)] ?? ' '}] ${String(entry.content ?? '')}`
  })
}

/** What will be executed, before the agent's own words for it. */
function requestOf({ tool_call, ...content }: PermissionContent): string {
  const title = titleOf(content)
  const { input, input_cut } = readInput(title, tool_call)
  return describeRequest({ title, input, isCut: input_cut }).join('\n  ')
}
