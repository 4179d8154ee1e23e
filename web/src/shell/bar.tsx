// A line across the top of every page: something one must know before trusting the rest.
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../ui/icon.tsx'

const TONES = { bad: 'bg-bad-soft text-bad', attention: 'bg-attention-soft text-attention' }

interface BarProps {
  tone: keyof typeof TONES
  icon: IconName
  action?: ReactNode
  children: ReactNode
}

export function Bar({ tone, icon, action, children }: BarProps) {
  return (
    <div role="status" className={`flex items-center gap-2.5 border-b px-4 py-1.5 text-sm sm:px-6 ${TONES[tone]}`}>
      <Icon name={icon} />
      <div className="min-w-0 flex-1">{children}</div>
      {action}
    </div>
  )
}
