// The conversation as append-only lines: for a terminal that shows it live. A growing message yields its new whole lines;
// an incomplete line is held back until it is complete or something else follows.
import type { SpokenMessage, TranscriptMessage } from '../../../contract/agh/transcript.ts'
import { renderMessage } from './render-transcript.ts'

export interface LiveLines {
  /** The message that was added or changed. */
  take(message: TranscriptMessage): string[]
  /** What is held back. */
  flush(): string[]
}

export function createLiveLines(): LiveLines {
  /** For text messages: how many characters were emitted. For others: their state when they were shown. */
  const shown = new Map<string, string | number>()
  let open: SpokenMessage | null = null
  const flush = () => {
    const held = open
    open = null
    return held ? more(shown, held, true) : []
  }
  return {
    flush,
    take(message) {
      const before = open && open.id !== message.id ? flush() : []
      if (message.role !== 'assistant' && message.role !== 'thought') return [...before, ...changed(shown, message)]
      open = message
      return [...before, ...more(shown, message, false)]
    },
  }
}

function more(shown: Map<string, string | number>, message: SpokenMessage, isWhole: boolean): string[] {
  const given = Number(shown.get(message.id) ?? 0)
  const end = isWhole ? message.text.length : message.text.lastIndexOf('\n') + 1
  if (end <= given && !isWhole) return []
  shown.set(message.id, Math.max(given, end))
  return renderMessage({ ...message, text: message.text.slice(given, end), attachments: [] })
}

/** Shown when it arrives, and once more when its state has changed. */
function changed(shown: Map<string, string | number>, message: TranscriptMessage): string[] {
  if (message.role === 'plan') return advanced(shown, message)
  const state = message.status ?? ''
  if (shown.get(message.id) === state) return []
  const isNews = !shown.has(message.id) || message.role !== 'tool' || isOver(message.status)
  shown.set(message.id, state)
  return isNews ? renderMessage(message) : []
}

/** The plan once, then its progress. */
function advanced(shown: Map<string, string | number>, plan: TranscriptMessage): string[] {
  const lines = renderMessage(plan)
  const before = shown.get(plan.id)
  shown.set(plan.id, lines.join('\n'))
  if (before === undefined) return lines
  const oldLines = new Set(String(before).split('\n'))
  return lines.filter((line) => !oldLines.has(line) && line.trimStart().startsWith('[x]'))
}

function isOver(status: string | undefined): boolean {
  return status === 'completed' || status === 'failed'
}
