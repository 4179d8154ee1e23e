// A place whose parts are deaf for a moment after they moved: a click that was meant for what stood there before
// answers nobody.
import { createContext, type HTMLAttributes, type RefObject, useContext, useEffect, useRef } from 'react'

const DEAF_MS = 500
/** Less than this is no move that anybody sees. */
const MOVED_PX = 4

const Parts = createContext<Set<HTMLElement> | null>(null)

/** Parts that scroll with a box of their own are in an element with `data-scrolls`. */
export function Guarded({ children, ...rest }: HTMLAttributes<HTMLDivElement>) {
  const place = useRef<HTMLDivElement>(null)
  const parts = useRef(new Set<HTMLElement>())
  useEffect(() => (place.current ? guard(place.current, parts.current) : undefined), [])
  return (
    <Parts.Provider value={parts.current}>
      <div ref={place} {...rest}>
        {children}
      </div>
    </Parts.Provider>
  )
}

/** Makes the element a part of the guarded place around it; without one it changes nothing. */
export function useGuarded(part: RefObject<HTMLElement | null>): void {
  const parts = useContext(Parts)
  useEffect(() => {
    const element = part.current
    if (!parts || !element) return
    parts.add(element)
    return () => void parts.delete(element)
  }, [parts, part])
}

function guard(place: HTMLElement, parts: ReadonlySet<HTMLElement>): () => void {
  const seen = new WeakMap<HTMLElement, [x: number, y: number]>()
  let isFirst = true
  const measure = () => {
    for (const part of parts) {
      const [x, y] = positionOf(part, place)
      const [oldX, oldY] = seen.get(part) ?? [Number.NaN, Number.NaN]
      seen.set(part, [x, y])
      const stayed = Math.abs(x - oldX) < MOVED_PX && Math.abs(y - oldY) < MOVED_PX
      if (!isFirst && !stayed) deafen(part)
      watchSize.observe(part)
    }
    isFirst = false
  }
  // Both report after the page has changed and before it is painted.
  const watchSize = new ResizeObserver(measure)
  const watchParts = new MutationObserver(measure)
  watchSize.observe(place)
  watchParts.observe(place, { childList: true, subtree: true })
  // The style keeps pointers away; this keeps keys away.
  const refuse = (event: Event) => {
    if (!(event.target instanceof Element) || !event.target.closest('[data-deaf]')) return
    event.preventDefault()
    event.stopPropagation()
  }
  place.addEventListener('click', refuse, true)
  measure()
  return () => {
    watchSize.disconnect()
    watchParts.disconnect()
    place.removeEventListener('click', refuse, true)
  }
}

/** Where it is, whatever the person has scrolled. */
function positionOf(part: HTMLElement, place: HTMLElement): [x: number, y: number] {
  const scroller = part.closest<HTMLElement>('[data-scrolls]') ?? place
  const { left, top } = part.getBoundingClientRect()
  const outer = place.getBoundingClientRect()
  const inner = scroller.getBoundingClientRect()
  return [left - outer.left + place.scrollLeft, top - inner.top + scroller.scrollTop]
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
