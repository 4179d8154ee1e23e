// The parts of an ACP message or tool call that people see: diffs, locations, printed text, attachments.
import type { AgentFile, FileDiff } from '../../../contract/agh/transcript.ts'
import { isObject } from '../../text/json-fields.ts'

export type Json = Record<string, unknown>

/** The end of what a tool printed; the full text stays in the event log. */
const MAX_OUTPUT = 64 * 1024

export function diffsOf(content: readonly unknown[]): FileDiff[] {
  return content
    .filter((one): one is Json => isObject(one) && one.type === 'diff')
    .map((one) => ({
      path: String(one.path ?? ''),
      old_text: typeof one.oldText === 'string' ? one.oldText : null,
      new_text: String(one.newText ?? ''),
    }))
}

/** Part of every response about the session while its question is open. */
const MAX_DIFFS = 64 * 1024

/** What a tool call would change. Omitted: too large to be carried, so nobody sees it. */
export function changesOf(toolCall: unknown): { diffs?: FileDiff[]; diffs_omitted?: true } {
  const content = isObject(toolCall) && Array.isArray(toolCall.content) ? toolCall.content : []
  const diffs = diffsOf(content)
  if (diffs.length === 0) return {}
  return JSON.stringify(diffs).length <= MAX_DIFFS ? { diffs } : { diffs_omitted: true }
}

const AROUND = 3

/** The lines that differ, with some around them. */
export function changedPart(before: string, after: string): { old_text: string; new_text: string } {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head++
  let tail = 0
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const from = Math.max(0, head - AROUND)
  const to = Math.max(0, tail - AROUND)
  const part = (lines: string[]) => lines.slice(from, lines.length - to).join('\n')
  return { old_text: part(a), new_text: part(b) }
}

export function outputOf(content: readonly unknown[]): string {
  const texts = content.flatMap((one) => {
    const block = isObject(one) && one.type === 'content' && isObject(one.content) ? one.content : null
    return block?.type === 'text' && typeof block.text === 'string' ? [block.text] : []
  })
  return texts.join('\n').slice(-MAX_OUTPUT)
}

export function locationsOf(locations: readonly unknown[]): Array<{ path: string; line: number | null }> {
  return locations.filter(isObject).map(({ path, line }) => ({
    path: String(path ?? ''),
    line: typeof line === 'number' ? line : null,
  }))
}

/** The pictures of a message or of what a tool returned, as they came: base64. */
export function imagesIn(content: unknown): string[] {
  if (!isObject(content)) return []
  const blocks = Array.isArray(content.content)
    ? content.content.map((one) => (isObject(one) && one.type === 'content' ? one.content : null))
    : [content.content]
  return blocks.flatMap((block) =>
    isObject(block) && block.type === 'image' && typeof block.data === 'string' ? [block.data] : [],
  )
}

/** null: it is text, or nothing. */
export function attachmentOf(block: unknown, sequence: number): AgentFile | null {
  if (!isObject(block) || typeof block.type !== 'string' || block.type === 'text') return null
  const resource = isObject(block.resource) ? block.resource : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    type: block.type,
    mime_type: text(block.mimeType) ?? text(resource.mimeType),
    uri: text(block.uri) ?? text(resource.uri),
    name: text(block.name),
    image: block.type === 'image' && typeof block.data === 'string' ? { sequence, index: 0 } : null,
  }
}
