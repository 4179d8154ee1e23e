// A short label with a tone; the icon and the label carry the meaning, the colour only helps.
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'neutral' | 'accent' | 'attention' | 'good' | 'bad' | 'review' | 'live'

const TONES: Record<Tone, string> = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
  attention: 'bg-attention-soft text-attention',
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  review: 'bg-review-soft text-review',
  live: 'bg-live-soft text-live',
}

export const TONE_TEXT: Record<Tone, string> = {
  neutral: 'text-muted',
  accent: 'text-accent',
  attention: 'text-attention',
  good: 'text-good',
  bad: 'text-bad',
  review: 'text-review',
  live: 'text-live',
}

interface Props {
  tone?: Tone
  icon?: IconName
  title?: string
  children: ReactNode
}

export function Badge({ tone = 'neutral', icon, title, children }: Props) {
  return (
    <span
      title={title}
      className={`inline-flex max-w-full items-center gap-1 rounded px-1.5 py-px text-xs font-medium ${TONES[tone]}`}
    >
      {icon && <Icon name={icon} className="size-3" />}
      <span className="truncate">{children}</span>
    </span>
  )
}
