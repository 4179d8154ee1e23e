// Words in a conversation: in what is here, and in what is still on the server, which is loaded when a person goes there.
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useSearch } from 'wouter'
import { ask } from '../api/client.ts'
import { findRows, messagesOf, type Row, rowOf } from './group-rows.ts'
import type { Older } from './use-older.ts'

export interface TranscriptSearch {
  query: string
  found: number
  at: number
  /** The row that is shown; null: none. */
  row: number | null
  onQuery: (query: string) => void
  onStep: (by: 1 | -1) => void
  /** To the first message, however far it is. */
  onBeginning: () => void
}

interface Options {
  sessionId: string
  rows: readonly Row[]
  /** Messages with a smaller sequence are on the server; null: all of them are here. */
  before: number | null
  older: Older
  show: (row: number) => void
}

export function useTranscriptSearch({ sessionId, rows, before, older, show }: Options): TranscriptSearch {
  const [query, setQuery] = useState('')
  /** The sequence of the match that is shown; null: the first that is here. */
  const [target, setTarget] = useState<number | null>(null)
  const address = useSearch()
  // Whoever comes from a search wants to see that very message.
  useEffect(() => {
    const wanted = new URLSearchParams(address)
    const at = Number(wanted.get('at'))
    if (!wanted.has('find')) return
    setQuery(wanted.get('find') ?? '')
    setTarget(at > 0 ? at : null)
  }, [address])
  const elsewhere = useElsewhere(sessionId, query, before)
  const here = useMemo(() => findRows(rows, query), [rows, query])
  const all = useMemo(
    () => [
      ...elsewhere.filter((sequence) => before !== null && sequence < before),
      ...here.map((index) => messagesOf(rows[index]!)[0]!.sequence),
    ],
    [elsewhere, here, rows, before],
  )
  const hidden = all.length - here.length
  const row = target === null ? (here[0] ?? null) : rowOf(rows, target)
  const first = Math.min(hidden, all.length - 1)
  const at = Math.max(0, target === null ? first : all.findLastIndex((sequence) => sequence <= target))
  const isLoaded = target === null || before === null || target >= before
  const isHere = isLoaded && rows.length > 0
  const { load, isLoading, problem } = older
  // A large part comes at once, but not all of a very long conversation.
  useEffect(() => {
    if (target !== null && !isLoaded && !isLoading && problem === null) void load(target)
  }, [target, isLoaded, isLoading, problem, load])
  // Nothing of it is here: the nearest is brought without being asked for.
  const nearest = target === null && here.length === 0 ? all[first] : undefined
  useEffect(() => {
    if (nearest !== undefined) setTarget(nearest)
  }, [nearest])
  const goTo = useEffectEvent((sequence: number) => show(rowOf(rows, sequence)))
  // Shown once, as soon as it is here: what arrives later moves nobody.
  useEffect(() => {
    if (target !== null && isHere) goTo(target)
  }, [target, isHere])
  return {
    query,
    found: all.length,
    at,
    row: isHere && query.trim() !== '' ? row : null,
    onQuery(next) {
      setQuery(next)
      setTarget(null)
      const first = findRows(rows, next)[0]
      if (first !== undefined) show(first)
    },
    onBeginning() {
      if (target === BEGINNING && isHere) show(0)
      setTarget(BEGINNING)
    },
    onStep(by) {
      if (all.length > 0) setTarget(all[(at + by + all.length) % all.length]!)
    },
  }
}

/** Before every message. */
const BEGINNING = 0

const NONE: readonly number[] = []
/** Somebody who types asks once. */
const TYPING_MS = 250

function useElsewhere(sessionId: string, query: string, before: number | null): readonly number[] {
  const [found, setFound] = useState<{ query: string; sequences: readonly number[] }>({ query: '', sequences: NONE })
  const isWanted = before !== null && query.trim() !== ''
  useEffect(() => {
    if (!isWanted) return
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const request = { params: { id: sessionId }, query: { q: query }, signal: stop.signal }
        const { sequences } = await ask('GET /api/sessions/:id/transcript/found', request)
        setFound({ query, sequences })
      } catch {
        // Loaded messages are searched all the same, and the connection's own bar says that the server is away.
      }
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [isWanted, sessionId, query])
  return isWanted && found.query === query ? found.sequences : NONE
}
