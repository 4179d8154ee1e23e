// Which files were viewed, kept in this browser. A mark is for what was seen: when the file's changes change, it is gone.

import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { createStoredListeners } from '../../api/stored-listeners.ts'
import type { DiffFile } from '../parse-diff.ts'

const KEY = 'ao.viewed'
/** Of that many diffs marks are kept; the oldest are dropped first. */
const MOST_DIFFS = 60

/** Path to fingerprint. */
type Marks = Readonly<Record<string, string>>
export type ViewState = 'viewed' | 'changed' | 'new'

export interface Viewed {
  stateOf(file: DiffFile): ViewState
  set(file: DiffFile, isViewed: boolean): void
  count: number
}

/** `name`: of the diff; null: nothing is kept. */
export function useViewed(name: string | null, files: readonly DiffFile[]): Viewed {
  const all = useSyncExternalStore(subscribe, read)
  const prints = useMemo(
    () => new Map(name === null ? [] : files.map((file) => [file, fingerprint(file)])),
    [name, files],
  )
  const marks = name === null ? undefined : marksOf(all, name)
  const set = useCallback(
    (file: DiffFile, isViewed: boolean) => {
      if (name !== null) write(marked(read(), name, file.path, isViewed ? fingerprint(file) : null))
    },
    [name],
  )
  const stateOf = (file: DiffFile) => stateIn(marks, file.path, prints.get(file))
  return { stateOf, set, count: files.filter((file) => stateOf(file) === 'viewed').length }
}

function stateIn(marks: Marks | undefined, path: string, print: string | undefined): ViewState {
  const mark = marks && Object.hasOwn(marks, path) ? marks[path] : undefined
  if (mark === undefined) return 'new'
  return mark === print ? 'viewed' : 'changed'
}

type Kept = ReadonlyArray<readonly [name: string, marks: Marks]>

function marksOf(kept: Kept, name: string): Marks | undefined {
  return kept.find(([one]) => one === name)?.[1]
}

/** The newest diff last; null removes the mark. */
export function marked(kept: Kept, name: string, path: string, print: string | null): Kept {
  const entries = Object.entries(marksOf(kept, name) ?? {}).filter(([one]) => one !== path)
  if (print !== null) entries.push([path, print])
  const others = kept.filter(([one]) => one !== name)
  return [...others, [name, Object.fromEntries(entries)] as const].slice(-MOST_DIFFS)
}

/** Hashes its changes, not their position: lines added above do not make it a different one. */
export function fingerprint({ oldPath, change, hunks }: DiffFile): string {
  let a = 0x811c9dc5
  let b = 0x1b873593
  const add = (text: string) => {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      a = Math.imul(a ^ code, 0x01000193)
      b = Math.imul(b ^ code, 0x85ebca6b)
    }
  }
  add(`${change} ${oldPath}`)
  for (const { lines } of hunks) {
    for (const { kind, text } of lines) {
      if (kind !== 'same') add(`\n${kind}${text}`)
    }
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`
}

let cached: { text: string | null; kept: Kept } = { text: null, kept: [] }
/** Where storage is full or forbidden, marks last as long as the page. */
let unsaved: string | null = null
const { subscribe, notify } = createStoredListeners()

function read(): Kept {
  const text = unsaved ?? localStorage.getItem(KEY)
  if (text !== cached.text) cached = { text, kept: parse(text) }
  return cached.kept
}

export function parse(text: string | null): Kept {
  try {
    const kept = JSON.parse(text ?? '[]') as unknown
    if (!Array.isArray(kept)) return []
    return kept.filter(
      (one): one is [string, Marks] =>
        Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'object' && one[1] !== null,
    )
  } catch {
    // Not ours.
    return []
  }
}

function write(kept: Kept): void {
  const text = JSON.stringify(kept)
  try {
    localStorage.setItem(KEY, text)
    unsaved = null
  } catch {
    unsaved = text
  }
  notify()
}
