// Other people's text, as text: paragraphs keep their lines, code and quotes look like it, web addresses become links.
// Nothing in it can become markup.
import { Fragment, type ReactNode } from 'react'
import { SafeLink } from './safe-link.tsx'
import { type Block, splitBlocks, splitLine } from './split-blocks.ts'

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
