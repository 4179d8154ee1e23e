// The parts of an ACP message or tool call that people see: diffs, locations, printed text, attachments.
import type { Attachment, FileDiff } from '../../../contract/agh/transcript.ts'

export type Json = Record<string, unknown>

/** The end of what a tool printed; the full text stays in the event log. */
const MAX_OUTPUT = 64 * 1024

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function diffsOf(content: readonly unknown[]): FileDiff[] {
  return content
    .filter((one): one is Json => isObject(one) && one.type === 'diff')
    .map((one) => ({
      path: String(one.path ?? ''),
      old_text: typeof one.oldText === 'string' ? one.oldText : null,
      new_text: String(one.newText ?? ''),
    }))
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
export function attachmentOf(block: unknown, sequence: number): Attachment | null {
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
