// Sums over whole JSONL files, cheap even for a new process: how far each file was read and the result are kept in one
// small file per session. It is only a cache: when it is missing, stale or damaged, the files are read again.
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../core/text/json-fields.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import type { Log } from '../../lib/log.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { type JsonlCursor, type ReadJsonlOptions, readJsonl } from '../../lib/read-jsonl.ts'

export interface Fold<S> {
  /** Name and version of the rules: a state from other rules is not continued. */
  rules: string
  /** An empty state; plain JSON. */
  start(): S
  /** Folds one record into the state, in place. */
  step(state: S, record: JsonObject): void
  wants?: ReadJsonlOptions['wants']
}

export interface Folded<S> {
  state: S
  /** false: the file was too long for one reading; the state is incomplete. */
  complete: boolean
  damaged: number
}

export interface FoldCache {
  /** null: there is no such file. */
  fold<S>(path: string, fold: Fold<S>, options?: ReadJsonlOptions): Promise<Folded<S> | null>
  /** Writes what is new, if anything. Never throws. */
  save(): Promise<void>
}

interface Entry {
  rules: string
  cursor: JsonlCursor
  damaged: number
  state: unknown
}

/** `{stateDir}/usage-cache.json` */
export const USAGE_CACHE_FILE = 'usage-cache.json'

export async function openFoldCache(cacheFile: string, log: Log): Promise<FoldCache> {
  const entries = loadEntries(cacheFile)
  let changed = false
  return {
    async fold(path, fold, options = {}) {
      const cached = entries.get(path)
      const usable = cached?.rules === fold.rules ? cached : undefined
      // The reader decides only after opening whether it can continue, so both states are at hand.
      const continuedState = structuredClone(usable?.state)
      const reading = await foldFrom(path, fold, options, usable?.cursor ?? null, continuedState)
      if (reading === null) return null
      const damaged = reading.damaged + (reading.continued ? (usable?.damaged ?? 0) : 0)
      changed ||= !usable || !reading.continued || usable.cursor.offset !== reading.cursor.offset
      entries.set(path, { rules: fold.rules, cursor: reading.cursor, damaged, state: reading.state })
      return { state: reading.state, complete: reading.complete, damaged }
    },
    async save() {
      if (!changed) return
      changed = false
      await ignoreFailure('usage cache not written, the next reading is slower', log, () =>
        writeFileAtomic(cacheFile, encode(entries), { durable: false }),
      )
    },
  }
}

async function foldFrom<S>(
  path: string,
  fold: Fold<S>,
  options: ReadJsonlOptions,
  cursor: JsonlCursor | null,
  continuedState: unknown,
) {
  const read = (from: JsonlCursor | null, state: S) =>
    readJsonl(path, from, (record) => fold.step(state, record), {
      ...options,
      wants: fold.wants,
    })
  if (cursor !== null) {
    const state = continuedState as S
    const continued = await read(cursor, state)
    if (continued === null) return null
    if (continued.continued) return { ...continued, state }
  }
  const state = fold.start()
  const fresh = await read(null, state)
  return fresh && { ...fresh, state }
}

function loadEntries(cacheFile: string): Map<string, Entry> {
  try {
    const { digest, entries } = JSON.parse(readPlainText(cacheFile)) as { digest: string; entries: string }
    if (typeof entries !== 'string' || digestOf(entries) !== digest) return new Map()
    return new Map(Object.entries(JSON.parse(entries) as Record<string, Entry>))
  } catch {
    // No cache yet, or a damaged one: everything is read again.
    return new Map()
  }
}

function encode(entries: Map<string, Entry>): string {
  const text = JSON.stringify(Object.fromEntries(entries))
  return JSON.stringify({ digest: digestOf(text), entries: text })
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
