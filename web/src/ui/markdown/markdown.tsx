// Other people's Markdown. Raw HTML in it stays text, addresses become links only through SafeLink, and nothing is loaded.
// Until the renderer is there, and if it cannot be loaded, the same text is shown plainly.

import { lazy, memo, Suspense } from 'react'
import { readableText } from '../../../../src/core/text/visible-text.ts'
import { loadPart } from '../../api/load-part.ts'
import { PlainText } from '../text/plain-text.tsx'

const Rendered = lazy(async () => ({
  default: (await loadPart(() => import('./rendered-markdown.tsx'))).RenderedMarkdown,
}))

/** Longer text takes the renderer too long for one frame. */
const LONGEST = 60_000

export const Markdown = memo(function Markdown({ text: raw, className = '' }: { text: string; className?: string }) {
  const text = readableText(raw)
  const plain = <PlainText text={text} className={className} />
  if (text.length > LONGEST) return plain
  return (
    <Suspense fallback={plain}>
      <Rendered text={text} className={className} />
    </Suspense>
  )
})
