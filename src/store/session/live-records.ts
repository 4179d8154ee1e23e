// All records of a project in memory, for a process that stays: the directory reports which of them changed, so that a list
// costs only what is new. Anything that was not reported is found by the directory's own times, and by comparing everything now and then.
import { lstatSync, type Stats } from 'node:fs'
import { isSafeName } from '../../contract/ids.ts'
import { type Watch, watchIfPossible } from '../../lib/watch-if-possible.ts'

export interface LiveRecords<T> {
  /** In the order of their ids. The same array as before when nothing has changed. */
  all(): readonly T[]
  /** It was changed just now, whatever the directory reports. */
  note(sessionId: string): void
  close(): void
}

export interface RecordReading<T> {
  directory: string
  /** Every record, each checked against its file; the same objects as before for those that have not changed. */
  readAll(): T[]
  /** null: there is none. */
  read(sessionId: string): T | null
}

/** For what no event reports: an edit in place while the queue of events was full, a file system of another machine. */
const COMPARE_ALL_MS = 10_000

/** Elsewhere events may come later than the change itself, so they do not explain all of it. */
const EVENTS_ARE_PROMPT = process.platform === 'linux'

export function followRecords<T extends { id: string }>({
  directory,
  readAll,
  read,
}: RecordReading<T>): LiveRecords<T> {
  let records = new Map<string, T>()
  let inOrder: readonly T[] | null = null
  let changed = new Set<string>()
  let isUnknown = true
  let comparedAt = 0
  let seen: Stats | undefined
  let watch: Watch | null = null

  function open(): void {
    watch?.close()
    watch = watchIfPossible(directory, (_event, name) => {
      if (name === null) isUnknown = true
      else if (isSafeName(name)) changed.add(name)
    })
  }

  function compareAll(): void {
    // Taken before: what changes meanwhile is read again.
    changed = new Set()
    isUnknown = false
    comparedAt = performance.now()
    const found = readAll()
    const isSame = found.length === records.size && found.every((one) => records.get(one.id) === one)
    if (isSame) return
    records = new Map(found.map((one) => [one.id, one]))
    inOrder = found
  }

  function takeChanged(): void {
    const ids = changed
    changed = new Set()
    for (const id of ids) {
      const before = records.get(id)
      const now = read(id)
      if (now === (before ?? null)) continue
      inOrder = null
      if (now === null) records.delete(id)
      else records.set(id, now)
    }
  }

  function refresh(): void {
    const now = lstatSync(directory, { throwIfNoEntry: false })
    const isMoved = now?.ino !== seen?.ino || now?.dev !== seen?.dev
    const hasChanged = isMoved || now?.mtimeMs !== seen?.mtimeMs
    const isExplained = !hasChanged || (EVENTS_ARE_PROMPT && changed.size > 0)
    if (isMoved || watch === null) open()
    seen = now
    const isDue = performance.now() - comparedAt > COMPARE_ALL_MS
    if (isUnknown || isMoved || watch === null || !isExplained || isDue) compareAll()
    else takeChanged()
  }

  return {
    all() {
      refresh()
      inOrder ??= [...records.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
      return inOrder
    },
    note: (sessionId) => void changed.add(sessionId),
    close: () => watch?.close(),
  }
}
