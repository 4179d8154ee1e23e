// Parses Aider's chat and input histories. Pure. The chat has no times of its own; the file's last change is all there is.
import type { LastEventKind } from '../agent-files/age-activity.ts'

interface AiderChat {
  /** What its newest part means; null: nothing was said yet. */
  kind: LastEventKind | null
  firstMessage: string | null
  model: string | null
  sentTokens: number
  receivedTokens: number
  /** null: at least one answer came without a cost. */
  costUsd: number | null
}

const USER = /^#### (.*)$/
const TOKENS =
  /^> Tokens: ([\d.,]{1,20}[kM]?) sent,.{0,200}?(?<![\d.,])([\d.,]{1,20}[kM]?) received\.(?: Cost: \$([\d.]+) message)?/
const MODEL = /^> (?:Main model|Model): (\S+) with\b/
const FAILURE = /^> (?:litellm\.\w*(?:Error|Exception)\b|.*\bAPI provider\b.*(?:not able|refus|overloaded|down))/i

export function parseChat(text: string): AiderChat {
  const chat: AiderChat = {
    kind: null,
    firstMessage: null,
    model: null,
    sentTokens: 0,
    receivedTokens: 0,
    costUsd: 0,
  }
  const firstMessage: string[] = []
  let isFirst = true
  for (const line of text.split('\n')) {
    const message = USER.exec(line)?.[1]?.trimEnd()
    if (message !== undefined) {
      // Aider answers its own commands immediately.
      chat.kind = message.startsWith('/') ? 'finished' : 'working'
      if (isFirst && !message.startsWith('/')) firstMessage.push(message)
      continue
    }
    if (firstMessage.length > 0) isFirst = false
    takeTokens(chat, line)
    chat.model = MODEL.exec(line)?.[1] ?? chat.model
    if (FAILURE.test(line)) chat.kind = 'failed'
    if (/^> Retrying in /.test(line)) chat.kind = 'working'
  }
  return { ...chat, firstMessage: firstMessage.length > 0 ? firstMessage.join('\n') : null }
}

function takeTokens(chat: AiderChat, line: string): void {
  const [, sent, received, cost] = TOKENS.exec(line) ?? []
  if (sent === undefined) return
  chat.kind = 'finished'
  chat.sentTokens += countOf(sent)
  chat.receivedTokens += countOf(received!)
  chat.costUsd = chat.costUsd === null || cost === undefined ? null : chat.costUsd + Number(cost)
}

/** `286`, `1,250`, `2.3k`, `1.2M`: Aider rounds what it shows. */
function countOf(text: string): number {
  const number = Number(text.replace(/[,kM]/g, ''))
  const factor = text.endsWith('k') ? 1_000 : text.endsWith('M') ? 1_000_000 : 1
  return Number.isFinite(number) ? Math.round(number * factor) : 0
}

interface EnteredMessage {
  at: Date
  text: string
}

/** `# <local time>` and the lines of the message, each after a `+`. */
export function parseInput(text: string): EnteredMessage[] {
  const messages: EnteredMessage[] = []
  let lines: string[] | null = null
  for (const line of text.split('\n')) {
    const time = /^# (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(line)
    if (time) {
      const at = new Date(`${time[1]}T${time[2]}`)
      lines = Number.isNaN(at.getTime()) ? null : []
      if (lines) messages.push({ at, text: '' })
    } else if (line.startsWith('+') && lines) {
      lines.push(line.slice(1))
      messages.at(-1)!.text = lines.join('\n')
    }
  }
  return messages
}
