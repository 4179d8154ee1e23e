// The steady list of an area: held while a pointer moves over it or somebody uses its keys.
import { type RefObject, useEffect, useReducer, useRef, useState } from 'react'
import { type Entry, type Held, keepAllSteady, type Listed, nextEnd } from './steady-list.ts'

/** A resting pointer, or a focus without a key press, holds nothing after this. */
const REST_MS = 10_000
/** A finger leaves no pointer behind. */
const TOUCH_MS = 3_000

interface Options<T> {
  keyOf: (item: T) => string
  /** A different one starts the lists anew: the person chose what is shown. */
  choice?: string
}

type Shown<T> = ReadonlyMap<string, readonly Entry<T>[]>

/** Lists between which items move; see `keepAllSteady`. */
export function useSteadyLists<T>(lists: readonly Listed<T>[], { keyOf, choice = '' }: Options<T>): Shown<T> {
  const shown = useRef<{ choice: string; lists: Shown<T> }>({ choice, lists: new Map() })
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const before = shown.current.choice === choice ? shown.current.lists : new Map()
  const now = keepAllSteady<T>(before, lists, { keyOf, now: Date.now() })
  const ends = lists.flatMap(({ id, held }) => nextEnd(now.get(id) ?? [], held) ?? [])
  const end = ends.length === 0 ? null : Math.min(...ends)
  useEffect(() => {
    shown.current = { choice, lists: now }
  })
  useEffect(() => {
    if (end === null) return
    const timer = setTimeout(redraw, Math.max(0, end - Date.now()))
    return () => clearTimeout(timer)
  }, [end])
  return now
}

export function useSteadyList<T>(
  items: readonly T[],
  { held, ...options }: Options<T> & { held: Held },
): readonly Entry<T>[] {
  return useSteadyLists([{ id: '', items, held }], options).get('') ?? []
}

export function useHeld(ref: RefObject<HTMLElement | null>): Held {
  const [held, setHeld] = useState<Held>(null)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    return watch(element, setHeld)
  }, [ref])
  return held
}

function watch(element: HTMLElement, onChange: (held: Held) => void): () => void {
  const stop = new AbortController()
  const has = { pointer: false, focus: false }
  let timer: ReturnType<typeof setTimeout> | undefined
  const change = (part: Partial<typeof has>, restMs: number) => {
    Object.assign(has, part)
    onChange(has.pointer ? 'pointer' : has.focus ? 'focus' : null)
    clearTimeout(timer)
    if (has.pointer || has.focus) timer = setTimeout(() => change({ pointer: false, focus: false }, 0), restMs)
  }
  const on = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void) =>
    element.addEventListener(type, act, { signal: stop.signal, passive: true })
  const point = (event: PointerEvent) => change({ pointer: true }, event.pointerType === 'touch' ? TOUCH_MS : REST_MS)
  on('pointermove', point)
  on('pointerdown', point)
  on('pointerleave', (event) => event.pointerType !== 'touch' && change({ pointer: false }, REST_MS))
  on('focusin', () => change({ focus: true }, REST_MS))
  on('keydown', () => change({ focus: true }, REST_MS))
  on('focusout', (event) => !element.contains(event.relatedTarget as Node | null) && change({ focus: false }, REST_MS))
  return () => {
    stop.abort()
    clearTimeout(timer)
  }
}
