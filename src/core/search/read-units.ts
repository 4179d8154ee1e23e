// The searchable text of what sessions leave behind: lines of a history, of a recorded terminal, events of a conversation.
import type { SessionEvent as AghEvent } from '../../contract/agh/events.ts'
import type { TranscriptMessage } from '../../contract/agh/transcript.ts'
import type { SessionEventBody } from '../../contract/events.ts'
import { emptyTranscript, foldEvent } from '../agh/transcript/transcript.ts'
import { parseEvent, parseHeader } from '../recording/cast.ts'
import { isObject, type JsonObject, parseObject } from '../text/json-fields.ts'
import type { Unit } from './find-in-unit.ts'

/** More of one message is not searched. */
const MOST_TEXT = 64 * 1024

function unitOf(text: string, at: string | number | null, rest: Partial<Unit> = {}): Unit {
  const time = typeof at === 'string' ? Date.parse(at) : (at ?? Number.NaN)
  return { text: text.slice(0, MOST_TEXT), at: Number.isNaN(time) ? null : time, sequence: null, files: [], ...rest }
}

/** null: nothing that a person would search for, or not a line of a history. */
export function unitOfHistory(line: string): Unit | null {
  const event = parseObject(line) as (Partial<SessionEventBody> & { at?: string }) | null
  const text = event === null ? undefined : textOf(event as SessionEventBody)
  return typeof text === 'string' ? unitOf(text, event?.at ?? null) : null
}

function textOf(event: SessionEventBody): string | null | undefined {
  if (event.type === 'message.queued' || event.type === 'message.edited') return event.text
  if (event.type === 'session.renamed' || event.type === 'permission.answered') return event.title
  if (event.type === 'operation.failed') return event.error
  return null
}

/** Where texts are in a record of an agent, however deep; ids, pictures and signatures have other names. */
const TEXTS: ReadonlySet<string> = new Set(
  (
    'text content output arguments command old_string new_string oldString newString oldText newText thinking parts ' +
    'input pattern query'
  ).split(' '),
)
const FILES: ReadonlySet<string> = new Set(['file_path', 'filePath', 'path'])
const DEEPEST = 12

/** A record of an agent's own transcript, with what its plugin says was spoken in it. null: no text. */
export function unitOfRecord({ timestamp }: JsonObject, spoken: unknown): Unit | null {
  const [texts, files]: [string[], string[]] = [[], []]
  const take = (value: unknown, name: string, depth: number): void => {
    if (depth > DEEPEST) return
    if (typeof value === 'string') {
      if (FILES.has(name)) files.push(value)
      else if (TEXTS.has(name)) texts.push(value)
    } else if (Array.isArray(value)) for (const one of value) take(one, name, depth + 1)
    else if (isObject(value)) for (const [key, one] of Object.entries(value)) take(one, key, depth + 1)
  }
  take(spoken, '', 0)
  const text = texts.join('\n')
  if (text.trim() === '' && files.length === 0) return null
  return unitOf(text, typeof timestamp === 'string' ? timestamp : null, { files: [...new Set(files)] })
}

/** What was drawn between two moments, as one unit: what moves the cursor separates words, colours do not. */
export function unitOfCast(lines: readonly string[], startedAt: number): Unit | null {
  const events = lines.flatMap((line) => parseEvent(line, startedAt) ?? [])
  const text = events.flatMap(({ kind, data }) => (kind === 'o' ? [data] : [])).join('')
  return text === '' ? null : unitOf(plainText(text), events[0]?.at ?? null)
}

/** 0: the part has no header that says when it began. */
export function castStart(line: string): number {
  return parseHeader(line)?.startedAt ?? 0
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are taken out
const COLOUR = /\u001b\[[0-9;:]*m/g
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are taken out
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|.)/g

/** Nobody sees them: the change to another character set and back, which tmux draws with, and bells. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are taken out
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

function plainText(data: string): string {
  return data.replace(COLOUR, '').replace(SEQUENCE, ' ').replace(/\r\n?/g, '\n').replace(UNSEEN, '')
}

/** Whole messages: chunks that arrived one by one are one text. */
export function unitsOfEvents(events: readonly AghEvent[]): Unit[] {
  const transcript = emptyTranscript()
  for (const event of events) foldEvent(transcript, event)
  return transcript.messages.flatMap((message) => {
    const text = messageText(message)
    const files = filesOf(message)
    if (text.trim() === '' && files.length === 0) return []
    return [unitOf(text, message.timestamp, { sequence: message.sequence, files })]
  })
}

/** No longer, so that a long file is several. */
const DIFF_UNIT = 16 * 1024

/** The changed lines of each file, without their signs; `diff` is git's, with the prefixes `a/` and `b/`. */
export function unitsOfDiff(diff: string): Unit[] {
  // Only a line feed ends a line of git: with `m`, characters in the text of a file would as well.
  return diff.split(/(?<=\n)(?=diff --git )/).flatMap((section) => {
    const [head = '', ...hunks] = section.split(/(?<=\n)@@ [^\n]*/)
    const path = pathIn(head)
    if (path === null) return []
    const lines = hunks.flatMap((hunk) => hunk.split('\n').filter((line) => /^[-+]/.test(line)))
    const text = lines.map((line) => line.slice(1)).join('\n')
    const parts = Array.from({ length: Math.max(1, Math.ceil(text.length / DIFF_UNIT)) }, (_, n) => n * DIFF_UNIT)
    return parts.map((at) => unitOf(text.slice(at, at + DIFF_UNIT), null, { files: [path] }))
  })
}

/** As it is called after the change, or was before its removal. Unusual names stay quoted as git has them. */
function pathIn(head: string): string | null {
  const named = (pattern: RegExp) => pattern.exec(head)?.[1]?.replace(/\t$/, '') ?? null
  return named(/^\+\+\+ "?b\/(.+?)"?$/m) ?? named(/^--- "?a\/(.+?)"?$/m) ?? named(/^diff --git .* "?b\/(.+?)"?$/m)
}

function messageText(message: TranscriptMessage): string {
  if (message.role === 'plan') return message.entries.map(({ content }) => content).join('\n')
  if (message.role !== 'tool') return message.role === 'usage' || message.role === 'notice' ? '' : message.text
  const diffs = message.diffs.map(({ old_text, new_text }) => `${old_text ?? ''}\n${new_text}`)
  return [message.text, ...diffs, message.output].join('\n')
}

function filesOf(message: TranscriptMessage): string[] {
  if (message.role !== 'tool') return []
  return [...new Set([...message.locations.map(({ path }) => path), ...message.diffs.map(({ path }) => path)])]
}
