// A link from other people's text: only http and https become one, everything else stays text. Links to this dashboard open
// in it.
import type { ReactNode } from 'react'
import { Link } from 'wouter'

interface Props {
  href: string | null
  children: ReactNode
  className?: string
}

export function SafeLink({ href, children, className = '' }: Props) {
  if (href === null || !isWebAddress(href)) return <span className={className}>{children}</span>
  const own = ownPage(href)
  if (own !== null) {
    return (
      <Link href={own} className={`hover:underline ${className}`}>
        {children}
      </Link>
    )
  }
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={`hover:underline ${className}`}>
      {children}
    </a>
  )
}

/** A file of this server, which is saved and never opened as a page. */
export function SaveLink({ href, name, children, className = '' }: Props & { href: string; name: string }) {
  return (
    <a href={href} download={name} className={`hover:underline ${className}`}>
      {children}
    </a>
  )
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** The local forge writes addresses with the port at the time; the page is the same on any. null: it is elsewhere. */
export function ownPage(href: string): string | null {
  const match = /^http:\/\/(?:localhost|127\.0\.0\.1):\d+(\/projects\/[\w.-]+\/(?:pull|issues)\/[\w.-]+)$/.exec(href)
  return match?.[1] ?? null
}
