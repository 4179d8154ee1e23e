// Splits a person's text into paragraphs, quotes and code. Pure.

export interface Block {
  /** The line at which it begins. */
  at: number
  kind: 'text' | 'quote' | 'code'
  text: string
}

/** An unclosed fence is code to the end. */
export function splitBlocks(text: string): Block[] {
  const blocks: Block[] = []
  /** The last block may continue. */
  let isOpen = false
  let isCode = false
  for (const [at, line] of text.split('\n').entries()) {
    if (isCode ? /^\s*```\s*$/.test(line) : /^\s*```/.test(line)) {
      isCode = !isCode
      isOpen = false
      continue
    }
    const kind = isCode ? 'code' : line.startsWith('>') ? 'quote' : 'text'
    const content = kind === 'quote' ? line.replace(/^>\s?/, '') : line
    const last = isOpen ? blocks.at(-1) : undefined
    if (last?.kind === kind) last.text += `\n${content}`
    else blocks.push({ at, kind, text: content })
    isOpen = true
  }
  return blocks
    .map((block) => ({ ...block, text: block.kind === 'code' ? block.text : block.text.trim() }))
    .filter((block) => block.text.trim() !== '')
}

export interface Part {
  kind: 'text' | 'code' | 'link'
  text: string
}

const PARTS = /(`[^`\n]+`|https?:\/\/[^\s<>"'`]+)/

/** Code in backticks and web addresses inside a line. Punctuation that ends a sentence does not belong to an address. */
export function splitLine(text: string): Part[] {
  return text
    .split(PARTS)
    .flatMap((part, index): Part[] => {
      if (index % 2 === 0) return [{ kind: 'text', text: part }]
      if (part.startsWith('`')) return [{ kind: 'code', text: part.slice(1, -1) }]
      const address = part.replace(/[.,;:!?)\]]+$/, '')
      return [
        { kind: 'link', text: address },
        { kind: 'text', text: part.slice(address.length) },
      ]
    })
    .filter(({ text: content }) => content !== '')
}
