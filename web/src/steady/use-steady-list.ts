// The steady list of an area: held while a pointer moves over it or somebody uses its keys.
import { type RefObject, useEffect, useReducer, useRef, useState } from 'react'
import { type Entry, type Held, keepSteady, nextEnd } from './steady-list.ts'

/** A resting pointer, or a focus without a key press, holds nothing after this. */
const REST_MS = 10_000
/** A finger leaves no pointer behind. */
const TOUCH_MS = 3_000

interface Options<T> {
  keyOf: (item: T) => string
  held: Held
  /** A different one starts the list anew: the person chose what is shown. */
  choice?: string
}

export function useSteadyList<T>(items: readonly T[], { keyOf, held, choice = '' }: Options<T>): Entry<T>[] {
  const shown = useRef<{ choice: string; entries: Entry<T>[] }>({ choice, entries: [] })
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const before = shown.current.choice === choice ? shown.current.entries : []
  const entries = keepSteady(before, { items, keyOf, held, now: Date.now() })
  const end = nextEnd(entries)
  useEffect(() => {
    shown.current = { choice, entries }
  })
  useEffect(() => {
    if (end === null || held === 'pointer') return
    const timer = setTimeout(redraw, Math.max(0, end - Date.now()))
    return () => clearTimeout(timer)
  }, [end, held])
  return entries
}

export function useHeld(place: RefObject<HTMLElement | null>): Held {
  const [held, setHeld] = useState<Held>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    return watch(element, setHeld)
  }, [place])
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
