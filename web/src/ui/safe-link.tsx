// A link out of text that others wrote: only http and https become one, everything else stays text.
import type { ReactNode } from 'react'

export function SafeLink({
  href,
  children,
  className = '',
}: {
  href: string | null
  children: ReactNode
  className?: string
}) {
  if (href === null || !isWebAddress(href)) return <span className={className}>{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={`hover:underline ${className}`}>
      {children}
    </a>
  )
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
