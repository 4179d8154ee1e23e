// While a conversation is at its end it stays there, whatever makes it grow; only a person leaves it.
import { useEffect, useLayoutEffect, useState } from 'react'

type Element = React.RefObject<HTMLDivElement | null>

/** This close to the end counts as reading along. */
const NEAR_PX = 80
/** A scroll this long after the last touch, wheel or key is not the person's. */
const PERSON_MS = 1_000

export function useFollowing(list: Element, content: Element): [boolean, (on: boolean) => void] {
  const [following, setFollowing] = useState(true)
  useLayoutEffect(() => {
    if (!following || !content.current) return
    const watch = new ResizeObserver(() => list.current?.scrollTo({ top: list.current.scrollHeight }))
    watch.observe(content.current)
    return () => watch.disconnect()
  }, [following, list, content])
  useEffect(() => {
    const element = list.current
    if (!element) return
    let touchedAt = Number.NEGATIVE_INFINITY
    const onTouch = () => {
      touchedAt = performance.now()
    }
    const onScroll = () => {
      // What grows faster than it is drawn leaves the end behind for a moment.
      if (element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX) setFollowing(true)
      else if (performance.now() - touchedAt < PERSON_MS) setFollowing(false)
    }
    const stop = new AbortController()
    const options = { passive: true, signal: stop.signal }
    for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const)
      element.addEventListener(type, onTouch, options)
    // The scroll bar is dragged.
    element.addEventListener('pointermove', ({ buttons }) => buttons !== 0 && onTouch(), options)
    element.addEventListener('scroll', onScroll, options)
    return () => stop.abort()
  }, [list])
  return [following, setFollowing]
}
