// A line that asks for attention above what it is about.
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

export function Warning({ children }: { children: ReactNode }) {
  return (
    <div role="status" className="flex items-start gap-2 rounded-md bg-attention-soft px-3 py-2 text-sm text-attention">
      <Icon name="warning" className="mt-0.5" />
      <span>{children}</span>
    </div>
  )
}
