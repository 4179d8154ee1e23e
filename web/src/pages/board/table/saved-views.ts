// Views of the board that were given a name: filter, order, and whether as a table. Kept in this browser.

import { useCallback, useSyncExternalStore } from 'react'
import { createStoredListeners } from '../../../api/stored-listeners.ts'

export interface SavedView {
  name: string
  /** The part of the address after `/`. */
  search: string
}

const KEY = 'ao.views'
const MOST = 30

export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  const at = views.findIndex(({ name }) => name === view.name)
  const next = at === -1 ? [...views, view] : views.with(at, view)
  return next.slice(-MOST)
}

export function withoutView(views: readonly SavedView[], name: string): SavedView[] {
  return views.filter((one) => one.name !== name)
}

export function parseViews(text: string | null): SavedView[] {
  try {
    const views = JSON.parse(text ?? '[]') as unknown
    return Array.isArray(views) ? views.filter(isView) : []
  } catch {
    // Not ours.
    return []
  }
}

function isView(value: unknown): value is SavedView {
  const { name, search } = (value ?? {}) as Partial<SavedView>
  return typeof name === 'string' && name !== '' && typeof search === 'string' && /^(?:$|\?)/.test(search)
}

const { subscribe, notify } = createStoredListeners()
let cached: { text: string | null; views: SavedView[] } = { text: null, views: [] }

function read(): SavedView[] {
  const text = localStorage.getItem(KEY)
  if (text !== cached.text) cached = { text, views: parseViews(text) }
  return cached.views
}

/** Where storage is full or forbidden, nothing is kept, and that is said. */
export function useSavedViews() {
  const views = useSyncExternalStore(subscribe, read)
  const change = useCallback((next: SavedView[]): boolean => {
    try {
      localStorage.setItem(KEY, JSON.stringify(next))
    } catch {
      return false
    }
    notify()
    return true
  }, [])
  return { views, change }
}
