// An area whose parts ignore clicks for a moment after they moved: a click meant for what was there before answers nothing.
import { createContext, type HTMLAttributes, type RefObject, useContext, useEffect, useRef } from 'react'

const DEAF_MS = 500
/** A smaller move is not noticeable. */
const MOVED_PX = 4

const Parts = createContext<Set<HTMLElement> | null>(null)

/**
 * Parts that scroll in their own box are in an element with `data-scrolls`; what a person has just opened, elsewhere on the screen, is in
 * one with `data-chosen` and listens at once.
 */
export function Guarded({ children, ...rest }: HTMLAttributes<HTMLDivElement>) {
  const ref = useRef<HTMLDivElement>(null)
  const parts = useRef(new Set<HTMLElement>())
  useEffect(() => (ref.current ? guard(ref.current, parts.current) : undefined), [])
  return (
    <Parts.Provider value={parts.current}>
      <div ref={ref} {...rest}>
        {children}
      </div>
    </Parts.Provider>
  )
}

/** Makes the element part of the surrounding guarded area; without one it changes nothing. */
export function useGuarded(part: RefObject<HTMLElement | null>): void {
  const parts = useContext(Parts)
  useEffect(() => {
    const element = part.current
    if (!parts || !element) return
    parts.add(element)
    return () => void parts.delete(element)
  }, [parts, part])
}

function guard(container: HTMLElement, parts: ReadonlySet<HTMLElement>): () => void {
  const seen = new WeakMap<HTMLElement, [x: number, y: number]>()
  let isFirst = true
  const measure = () => {
    for (const part of parts) {
      const [x, y] = positionOf(part, container)
      const [oldX, oldY] = seen.get(part) ?? [Number.NaN, Number.NaN]
      seen.set(part, [x, y])
      const stayed = Math.abs(x - oldX) < MOVED_PX && Math.abs(y - oldY) < MOVED_PX
      const isOpened = Number.isNaN(oldX) && part.closest('[data-chosen]') !== null
      if (!isFirst && !stayed && !isOpened) deafen(part)
      watchSize.observe(part)
    }
    isFirst = false
  }
  // Both fire after the page has changed and before it is painted.
  const watchSize = new ResizeObserver(measure)
  const watchParts = new MutationObserver(measure)
  watchSize.observe(container)
  watchParts.observe(container, { childList: true, subtree: true })
  // The style blocks pointers; this blocks keys.
  const refuse = (event: Event) => {
    if (!(event.target instanceof Element) || !event.target.closest('[data-deaf]')) return
    event.preventDefault()
    event.stopPropagation()
  }
  container.addEventListener('click', refuse, true)
  measure()
  return () => {
    watchSize.disconnect()
    watchParts.disconnect()
    container.removeEventListener('click', refuse, true)
  }
}

/** Its position, independent of scrolling. */
function positionOf(part: HTMLElement, container: HTMLElement): [x: number, y: number] {
  const scroller = part.closest<HTMLElement>('[data-scrolls]') ?? container
  const { left, top } = part.getBoundingClientRect()
  const outer = container.getBoundingClientRect()
  const inner = scroller.getBoundingClientRect()
  return [left - outer.left + container.scrollLeft, top - inner.top + scroller.scrollTop]
}

const timers = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>()

function deafen(part: HTMLElement): void {
  part.dataset.deaf = ''
  clearTimeout(timers.get(part))
  timers.set(
    part,
    setTimeout(() => delete part.dataset.deaf, DEAF_MS),
  )
}
