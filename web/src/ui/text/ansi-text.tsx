// Text of a terminal with its colours, in those of the page.
import { memo } from 'react'
import { type AnsiPiece, splitAnsi } from './split-ansi.ts'

const TONES: Record<NonNullable<AnsiPiece['tone']>, string> = {
  bad: 'text-bad',
  good: 'text-good',
  attention: 'text-attention',
  accent: 'text-accent',
  review: 'text-review',
  live: 'text-live',
  faint: 'text-faint',
}

export const AnsiText = memo(function AnsiText({ text }: { text: string }) {
  return splitAnsi(text).map(({ text: part, tone, bold, underline }, index) => {
    const look = `${tone ? TONES[tone] : ''} ${bold ? 'font-semibold' : ''} ${underline ? 'underline' : ''}`.trim()
    if (look === '') return part
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name, and text only grows at its end.
      <span key={index} className={look}>
        {part}
      </span>
    )
  })
})
