// A review being written: kept in this browser until it is submitted, so that a reload loses nothing.

import { useCallback, useSyncExternalStore } from 'react'
import { createStoredListeners } from '../api/stored-listeners.ts'

export interface PendingComment {
  id: string
  path: string
  /** The first of several lines. */
  startLine?: number | null | undefined
  line: number
  /** The text of that line, by which it is found again after a push; null: it was not shown. */
  text: string | null
  body: string
  /** It is still being typed: not part of the review yet. */
  isDraft: boolean
  /** The line was changed by a later push. */
  isLost?: boolean
}

export interface PendingReview {
  /** The head that its lines refer to. */
  sha: string | null
  body: string
  comments: readonly PendingComment[]
}

const NOTHING: PendingReview = { sha: null, body: '', comments: [] }
const { subscribe, notify } = createStoredListeners()
/** The last value read from storage: one object as long as nothing changes. */
const cache = new Map<string, { text: string | null; review: PendingReview }>()
/** Where storage is full or forbidden it lasts as long as the page. */
const unsaved = new Map<string, string>()

export interface PendingActions {
  change(change: (before: PendingReview) => PendingReview): void
  clear(): void
}

/** `name`: of what is reviewed. */
export function usePendingReview(name: string): [PendingReview, PendingActions] {
  const key = `ao.review.${name}`
  const review = useSyncExternalStore(subscribe, () => read(key))
  const change = useCallback((with_: (before: PendingReview) => PendingReview) => write(key, with_(read(key))), [key])
  const clear = useCallback(() => write(key, NOTHING), [key])
  return [review, { change, clear }]
}

function read(key: string): PendingReview {
  const text = unsaved.get(key) ?? localStorage.getItem(key)
  const before = cache.get(key)
  if (before && before.text === text) return before.review
  const review = parse(text)
  cache.set(key, { text, review })
  return review
}

function parse(text: string | null): PendingReview {
  if (text === null) return NOTHING
  try {
    const { sha, body, comments } = JSON.parse(text) as Partial<PendingReview>
    const kept = Array.isArray(comments) ? comments.filter((one) => !isEmptyDraft(one)) : []
    return { sha: sha ?? null, body: body ?? '', comments: kept }
  } catch {
    // Not ours.
    return NOTHING
  }
}

function write(key: string, review: PendingReview): void {
  const isEmpty = review.body === '' && review.comments.every(isEmptyDraft)
  const text = isEmpty ? null : JSON.stringify(review)
  unsaved.delete(key)
  cache.set(key, { text, review })
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    if (text !== null) unsaved.set(key, text)
  }
  notify()
}

/** A form that was opened but not typed into. */
export function isEmptyDraft({ isDraft, body }: PendingComment): boolean {
  return isDraft && body.trim() === ''
}
