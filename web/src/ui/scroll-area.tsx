// A part of a page that scrolls on its own on wide screens and can be scrolled by keyboard; a phone scrolls the whole page.
import type { ReactNode } from 'react'

export function ScrollArea({
  label,
  children,
  className = '',
}: {
  label: string
  children: ReactNode
  className?: string
}) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      className={`min-h-0 flex-1 rounded focus-visible:outline-offset-0 md:overflow-y-auto ${className}`}
    >
      {children}
    </section>
  )
}
