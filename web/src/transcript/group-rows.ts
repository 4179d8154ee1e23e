// A transcript as rows: tool calls that follow each other are one row, and what is shown above the list is left out. Pure.
import type { PlanMessage, ToolMessage, TranscriptMessage, UsageMessage } from '../../../src/contract/agh/transcript.ts'
import { hasTerms, termsOf } from '../../../src/core/agh/transcript/pages.ts'

export type Row =
  | { kind: 'one'; id: string; message: TranscriptMessage }
  | { kind: 'tools'; id: string; messages: readonly ToolMessage[] }

/** Fewer are shown one by one. */
const FEW = 3

export function groupRows(messages: readonly TranscriptMessage[]): Row[] {
  const rows: Row[] = []
  let tools: ToolMessage[] = []
  const flush = () => {
    if (tools.length >= FEW) rows.push({ kind: 'tools', id: `tools ${tools[0]!.id}`, messages: tools })
    else for (const message of tools) rows.push({ kind: 'one', id: message.id, message })
    tools = []
  }
  for (const message of messages) {
    // These are shown above the list, in their newest state.
    if (message.role === 'usage' || message.role === 'plan') continue
    if (message.role === 'tool') {
      tools.push(message)
      continue
    }
    flush()
    rows.push({ kind: 'one', id: message.id, message })
  }
  flush()
  return rows
}

/** `4 reads, 2 edits, 1 failed` */
export function describeTools(messages: readonly ToolMessage[]): string {
  const counts = new Map<string, number>()
  for (const { kind } of messages) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const failed = messages.filter(({ status }) => status === 'failed').length
  const parts = [...counts].map(([kind, count]) => `${count} ${count === 1 ? kind : plural(kind)}`)
  return [...parts, ...(failed > 0 ? [`${failed} failed`] : [])].join(', ')
}

function plural(kind: string): string {
  return kind.endsWith('ch') ? `${kind}es` : `${kind}s`
}

export interface TranscriptHead {
  plan: PlanMessage | null
  usage: UsageMessage | null
}

/** A plan of a turn that has ended is history. */
export function headOf(messages: readonly TranscriptMessage[]): TranscriptHead {
  return {
    plan: messages.findLast((one) => one.role === 'plan') ?? null,
    usage: messages.findLast((one) => one.role === 'usage') ?? null,
  }
}

/** The rows that contain all of the words, by index. */
export function findRows(rows: readonly Row[], query: string): number[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  return rows.flatMap((row, index) => (hasTerms(messagesOf(row), terms) ? [index] : []))
}

/** The row with the message of this sequence, or the last one before it. */
export function rowOf(rows: readonly Row[], sequence: number): number {
  return rows.findLastIndex((row) => messagesOf(row)[0]!.sequence <= sequence)
}

export function messagesOf(row: Row): readonly TranscriptMessage[] {
  return row.kind === 'one' ? [row.message] : row.messages
}
