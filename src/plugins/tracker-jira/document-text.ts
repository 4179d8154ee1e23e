// Atlassian's document format as Markdown-like text, and back. Pure. Anything that has no text of its own (a picture, a macro) is left out
// when it is read; what is written has paragraphs, line breaks and code blocks, so that text comes back as it was.

export interface DocumentNode {
  type: string
  text?: string | undefined
  attrs?: Record<string, unknown> | undefined
  content?: DocumentNode[] | undefined
  version?: number | undefined
}

export function toDocument(text: string): DocumentNode {
  return { type: 'doc', version: 1, content: blocksOf(text.replace(/\r\n?/g, '\n').trim()) }
}

const FENCE = /^```([^\n`]*)\n((?:(?!```)[^\n]*\n)*)```$/gm

function blocksOf(text: string): DocumentNode[] {
  const blocks: DocumentNode[] = []
  let at = 0
  for (const match of text.matchAll(FENCE)) {
    blocks.push(...paragraphsOf(text.slice(at, match.index)))
    const [whole, language, lines = ''] = match
    const code = lines.replace(/\n$/, '')
    const attrs = language!.trim() === '' ? undefined : { language: language!.trim() }
    const content = code === '' ? undefined : [{ type: 'text', text: code }]
    blocks.push({ type: 'codeBlock', attrs, content })
    at = match.index + whole.length
  }
  return [...blocks, ...paragraphsOf(text.slice(at))]
}

function paragraphsOf(text: string): DocumentNode[] {
  return text
    .split(/\n{2,}/)
    .map((part) => part.replace(/^\n+|\n+$/g, ''))
    .filter((part) => part !== '')
    .map((part) => ({ type: 'paragraph', content: linesOf(part) }))
}

function linesOf(text: string): DocumentNode[] {
  return text.split('\n').flatMap((line, index) => [
    ...(index === 0 ? [] : [{ type: 'hardBreak' }]),
    // An empty text node is not valid.
    ...(line === '' ? [] : [{ type: 'text', text: line }]),
  ])
}

/** null and what is not a document are empty. */
export function fromDocument(node: unknown): string {
  if (typeof node === 'string') return node
  return isNode(node) ? blocks(node).trim() : ''
}

/** A document is somebody else's: no depth of it may end the process. */
const DEEPEST = 50

function blocks({ content = [] }: DocumentNode, depth = 0): string {
  if (depth > DEEPEST) return ''
  return content
    .filter(isNode)
    .map((node) => block(node, depth + 1))
    .filter((text) => text !== '')
    .join('\n\n')
}

function block(node: DocumentNode, depth: number): string {
  switch (node.type) {
    case 'paragraph':
      return inline(node, depth)
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, Number(node.attrs?.level) || 1)))} ${inline(node, depth)}`
    case 'codeBlock':
      return `\`\`\`${String(node.attrs?.language ?? '')}\n${inline(node, depth)}\n\`\`\``
    case 'blockquote':
      return blocks(node, depth).replace(/^(?=[\s\S])/gm, '> ')
    case 'rule':
      return '---'
    case 'bulletList':
      return items(node, depth, () => '- ')
    case 'orderedList':
      return items(node, depth, (index) => `${index + 1}. `)
    case 'taskList':
      return items(node, depth, (_index, item) => (item.attrs?.state === 'DONE' ? '- [x] ' : '- [ ] '))
    case 'tableRow':
      return `| ${(node.content ?? []).map((cell) => blocks(cell, depth).replaceAll('\n', ' ')).join(' | ')} |`
    case 'table':
      return (node.content ?? []).map((row) => block(row, depth + 1)).join('\n')
    default:
      return isInline(node) ? inlineNode(node, depth) : blocks(node, depth)
  }
}

function items(
  { content = [] }: DocumentNode,
  depth: number,
  mark: (index: number, item: DocumentNode) => string,
): string {
  if (depth > DEEPEST) return ''
  return content
    .filter(isNode)
    .map((item, index) => {
      const text = item.type === 'taskItem' ? inline(item, depth) : blocks(item, depth).replaceAll('\n\n', '\n')
      return `${mark(index, item)}${text.replaceAll('\n', '\n  ')}`
    })
    .join('\n')
}

function inline({ content = [] }: DocumentNode, depth: number): string {
  return content
    .filter(isNode)
    .map((node) => inlineNode(node, depth))
    .join('')
}

function inlineNode(node: DocumentNode, depth: number): string {
  if (node.type === 'text') return node.text ?? ''
  if (node.type === 'hardBreak') return '\n'
  const { text, url, shortName } = node.attrs ?? {}
  // A mention, a date, a status, a card of an address, an emoji.
  if (isInline(node)) return String(text ?? url ?? shortName ?? '')
  return depth > DEEPEST ? '' : inline(node, depth + 1)
}

const INLINE: ReadonlySet<string> = new Set(['text', 'hardBreak', 'mention', 'emoji', 'inlineCard', 'status', 'date'])

function isInline({ type }: DocumentNode): boolean {
  return INLINE.has(type)
}

function isNode(value: unknown): value is DocumentNode {
  return typeof value === 'object' && value !== null && typeof (value as DocumentNode).type === 'string'
}
