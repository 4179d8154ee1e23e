// The beginning of a long conversation, loaded page by page as a person comes near it. The lines in sight stay where they are.
import type { Virtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { loadOlder } from '../api/live.ts'
import type { Row } from './group-rows.ts'

type List = React.RefObject<HTMLDivElement | null>
type Virtual = Virtualizer<HTMLDivElement, Element>

/** The next page is there before its position comes in sight. */
const NEAR_PX = 1_500

export interface Older {
  /** Resolves when it is here, or could not be loaded. `from`: everything from this message on. */
  load: (from?: number) => Promise<void>
  isLoading: boolean
  problem: string | null
}

/** `older` null: the beginning is here. */
export function useOlder(list: List, sessionId: string, older: number | null): Older {
  const [state, setState] = useState<Omit<Older, 'load'>>({ isLoading: false, problem: null })
  const load = useCallback(
    async (from?: number) => {
      setState({ isLoading: true, problem: null })
      try {
        await loadOlder(sessionId, from)
        setState({ isLoading: false, problem: null })
      } catch (error) {
        setState({ isLoading: false, problem: error instanceof Error ? error.message : String(error) })
      }
    },
    [sessionId],
  )
  const hasFailed = state.problem !== null
  useEffect(() => {
    const element = list.current
    // What failed is tried again by the button.
    if (!element || older === null || hasFailed) return
    const check = () => {
      if (element.scrollTop < NEAR_PX) void load()
    }
    // Once drawn at its end: before, the list is at its beginning.
    const frame = requestAnimationFrame(() => requestAnimationFrame(check))
    element.addEventListener('scroll', check, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      element.removeEventListener('scroll', check)
    }
  }, [list, older, hasFailed, load])
  return { ...state, load }
}

/** Rows that come before those in sight move them: the list scrolls by as much. */
export function useAnchor(list: List, virtual: Virtual, rows: readonly Row[], following: boolean): void {
  const seen = useRef<{ first: string | undefined; positions: ReadonlyArray<{ id: string; top: number }> }>({
    first: undefined,
    positions: [],
  })
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const before = seen.current
    if (!following && before.first !== undefined && rows[0]?.id !== before.first)
      keepScroll(element, virtual, rows, before.positions)
  }, [list, virtual, rows, following])
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const positions = virtual
      .getVirtualItems()
      .filter(({ end }) => end > element.scrollTop)
      .map(({ index, start }) => ({ id: rows[index]?.id ?? '', top: start - element.scrollTop }))
    seen.current = { first: rows[0]?.id, positions }
  })
}

function keepScroll(
  element: HTMLElement,
  virtual: Virtual,
  rows: readonly Row[],
  positions: ReadonlyArray<{ id: string; top: number }>,
): void {
  const index = new Map(rows.map(({ id }, at) => [id, at]))
  // A group of tools may have got a new beginning, and with it another name.
  const anchor = positions.find(({ id }) => index.has(id))
  if (!anchor) return
  virtual.getVirtualItems()
  const start = virtual.measurementsCache[index.get(anchor.id)!]?.start
  if (start !== undefined) element.scrollTop = start - anchor.top
}
