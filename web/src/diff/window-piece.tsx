// A piece of a long file that is rendered only while it is near: its height stays when it is removed.
import { type ReactNode, useEffect, useRef, useState } from 'react'

const ROW_PX = 18
/** How far outside the visible area pieces are already rendered. */
const NEAR = '1200px'

interface Props {
  rows: number
  /** Always rendered: the first one, or one with comments on it. */
  isKept: boolean
  children: ReactNode
}

export function WindowPiece({ rows, isKept, children }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  const [height, setHeight] = useState(rows * ROW_PX)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    return watch(element, (entry) => {
      if (entry.isIntersecting) setNear(true)
      else if (!element.contains(document.activeElement)) {
        if (element.childElementCount > 0) setHeight(entry.boundingClientRect.height)
        setNear(false)
      }
    })
  }, [])
  const isDrawn = isNear || isKept
  return (
    <div ref={ref} style={isDrawn ? undefined : { height }}>
      {isDrawn && children}
    </div>
  )
}

function watch(element: Element, onChange: (entry: IntersectionObserverEntry) => void): () => void {
  // `scrollMargin` is for a page that scrolls within itself; browsers without it render a moment later.
  const options = { rootMargin: NEAR, scrollMargin: NEAR } as IntersectionObserverInit
  const observer = new IntersectionObserver((entries) => onChange(entries.at(-1)!), options)
  observer.observe(element)
  return () => observer.disconnect()
}
