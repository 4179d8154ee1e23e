// Other people's text, as text: paragraphs keep their lines, code and quotes look like it, web addresses become links.
// Nothing in it can become markup.
import { Fragment, type ReactNode } from 'react'
import { SafeLink } from './safe-link.tsx'

export function PlainText({ text, className = '' }: { text: string; className?: string }) {
  return (
    <div className={`flex flex-col gap-2 text-sm ${className}`}>
      {splitBlocks(text).map((block) => (
        <Fragment key={block.at}>{show(block)}</Fragment>
      ))}
    </div>
  )
}

function show({ kind, text }: Block): ReactNode {
  if (kind === 'code') {
    return (
      <pre className="overflow-x-auto rounded-md bg-sunken p-2.5 font-mono text-xs [overflow-wrap:normal]">{text}</pre>
    )
  }
  if (kind === 'quote') {
    return <blockquote className="border-l-2 border-line-strong pl-3 whitespace-pre-wrap text-muted">{text}</blockquote>
  }
  return <p className="whitespace-pre-wrap">{splitLine(text).map(showPart)}</p>
}

function showPart({ kind, text }: ReturnType<typeof splitLine>[number], index: number): ReactNode {
  const key = `${index} ${kind}`
  if (kind === 'text') return <Fragment key={key}>{text}</Fragment>
  if (kind === 'link')
    return (
      <SafeLink key={key} href={text} className="text-accent">
        {text}
      </SafeLink>
    )
  return (
    <code key={key} className="rounded bg-sunken px-1 py-0.5 font-mono text-xs">
      {text}
    </code>
  )
}

// Splits a person's text into paragraphs, quotes and code.

interface Block {
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

interface Part {
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
      const address = part.replace(/(?<![.,;:!?)\]])[.,;:!?)\]]+$/, '')
      return [
        { kind: 'link', text: address },
        { kind: 'text', text: part.slice(address.length) },
      ]
    })
    .filter(({ text: content }) => content !== '')
}
