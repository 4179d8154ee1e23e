// An area whose parts ignore clicks for a moment after they moved: a click meant for what was there before answers nothing.
import {
  createContext,
  type HTMLAttributes,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react'
import { sayUnheard } from '../ui/overlay/toast.tsx'

const DEAF_MS = 500
/** A smaller move is not noticeable. */
const MOVED_PX = 4
const MOVED = 'That has just moved, and did not hear you: try again'

const Parts = createContext<Set<HTMLElement> | null>(null)

/** What a person has just opened, elsewhere on the screen, is in an element with `data-chosen` and listens at once. */
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
  // Before the area measures what has changed: otherwise a part that has just appeared listens, and is deaf at some later change.
  useLayoutEffect(() => {
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
      const [x, y] = positionOf(part)
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
  watchParts.observe(container, { childList: true, subtree: true })
  // A bar that appears above the area moves all of it and changes nothing in it.
  const watchAround = new MutationObserver(() => {
    watchNeighbours()
    measure()
  })
  const watchNeighbours = () => {
    for (const around of ancestorsOf(container)) for (const one of around.children) watchSize.observe(one)
  }
  for (const around of ancestorsOf(container)) watchAround.observe(around, { childList: true })
  watchNeighbours()
  // The style blocks pointers; this blocks keys.
  const refuse = (event: Event) => {
    if (!(event.target instanceof Element) || !event.target.closest('[data-deaf]')) return
    event.preventDefault()
    event.stopPropagation()
    sayUnheard(MOVED)
  }
  container.addEventListener('click', refuse, true)
  // A pointer goes through it, to what is behind.
  const point = (event: PointerEvent) => {
    const isBehind = (part: HTMLElement) => event.target instanceof Node && event.target.contains(part)
    const isMeant = (part: HTMLElement) => part.dataset.deaf !== undefined && isBehind(part) && isOn(event, part)
    if ([...parts].some(isMeant)) sayUnheard(MOVED)
  }
  container.addEventListener('pointerdown', point)
  measure()
  return () => {
    watchSize.disconnect()
    watchParts.disconnect()
    watchAround.disconnect()
    container.removeEventListener('click', refuse, true)
    container.removeEventListener('pointerdown', point)
  }
}

function isOn({ clientX: x, clientY: y }: PointerEvent, part: HTMLElement): boolean {
  const { left, right, top, bottom } = part.getBoundingClientRect()
  return x >= left && x <= right && y >= top && y <= bottom
}

/** Its position on the page, independent of scrolling. */
function positionOf(part: HTMLElement): [x: number, y: number] {
  const { left, top } = part.getBoundingClientRect()
  const around = ancestorsOf(part)
  return [around.reduce((x, one) => x + one.scrollLeft, left), around.reduce((y, one) => y + one.scrollTop, top)]
}

function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const around: HTMLElement[] = []
  for (let one = element.parentElement; one; one = one.parentElement) around.push(one)
  return around
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
