// Text that others wrote, as text: paragraphs keep their lines, fenced and quoted code looks like code, web addresses become
// links. Nothing in it can become markup.
import type { ReactNode } from 'react'
import { SafeLink } from './safe-link.tsx'

export function PlainWords({ text, className = '' }: { text: string; className?: string }) {
  return (
    <div className={`flex flex-col gap-2 text-sm ${className}`}>
      {splitBlocks(text).map((block) =>
        block.isCode ? (
          <pre
            key={block.at}
            className="overflow-x-auto rounded-md bg-sunken p-2.5 font-mono text-xs [overflow-wrap:normal]"
          >
            {block.text}
          </pre>
        ) : (
          <p key={block.at} className="whitespace-pre-wrap">
            {inline(block.text)}
          </p>
        ),
      )}
    </div>
  )
}

interface Block {
  /** The line it begins at. */
  at: number
  isCode: boolean
  text: string
}

/** An open fence at the end is code to the end. */
export function splitBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  let isCode = false
  let at = 0
  const push = () => {
    const joined = lines.join('\n')
    if (joined.trim() !== '') blocks.push({ at, isCode, text: isCode ? joined : joined.trim() })
    lines = []
  }
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = isCode ? /^\s*```\s*$/.test(line) : /^\s*```/.test(line)
    if (!isFence) {
      lines.push(line)
      continue
    }
    push()
    isCode = !isCode
    at = index + 1
  }
  push()
  return blocks
}

const PARTS = /(`[^`\n]+`|https?:\/\/[^\s<>"'`]+)/

function inline(text: string): ReactNode[] {
  return text.split(PARTS).map((part, index) => {
    const key = `${index} ${part.length}`
    if (index % 2 === 0) return part
    if (part.startsWith('`'))
      return (
        <code key={key} className="rounded bg-sunken px-1 py-0.5 font-mono text-xs">
          {part.slice(1, -1)}
        </code>
      )
    const address = part.replace(/[.,;:!?)\]]+$/, '')
    return (
      <span key={key}>
        <SafeLink href={address} className="text-accent">
          {address}
        </SafeLink>
        {part.slice(address.length)}
      </span>
    )
  })
}
