// Ended sessions that the board did not bring along: the next page on demand, and with a filter those that match it, which
// the server finds among all of them. They become cards of the board like any other.
import { useCallback, useEffect, useState } from 'react'
import type { BoardState } from '../../api/board-store.ts'
import { ask } from '../../api/client.ts'
import { takeEnded } from '../../api/live.ts'
import { type BoardFilter, isFiltering } from './board-filter.ts'

export interface MoreEnded {
  load: () => void
  isLoading: boolean
  problem: string | null
}

interface Ended {
  /** How many there are, given how many of them are here. */
  count: (here: number) => number
  /** null: all of them are here. */
  more: MoreEnded | null
  /** What matches the filter is unknown yet. */
  isPending: boolean
}

interface Pages {
  /** Of which board and filter. */
  key: string
  /** Where the next page begins; null: there is none. undefined: nothing was asked for yet. */
  next: string | null | undefined
  total: number
  isLoading: boolean
  problem: string | null
}

const PAGE = 100
/** Somebody who types asks once. */
const TYPING_MS = 250

export function useEnded(board: BoardState, filter: BoardFilter): Ended {
  const isAll = !isFiltering(filter)
  const { project, agent, text } = filter
  const key = JSON.stringify([board.from, project, agent, text])
  const [loaded, setLoaded] = useState<Pages | null>(null)
  const pages = loaded?.key === key ? loaded : beginning(key, board, isAll)
  const { next, isLoading } = pages
  // Whatever matches is here already; of pinned ones, those that are not are listed by name.
  const isWhole = board.ended.next === null || filter.pinned !== ''

  const load = useCallback(
    async (after: string | undefined, signal?: AbortSignal) => {
      const set = (change: Partial<Pages>) =>
        setLoaded((now) => ({ ...beginning(key, null, false), ...(now?.key === key ? now : null), ...change }))
      set({ isLoading: true, problem: null })
      try {
        const query = { project, agent, q: text, limit: PAGE, ...(after && { after }) }
        const page = await ask('GET /api/ended', { query, ...(signal && { signal }) })
        // Of another board: the key has changed with it, and its own page is asked for.
        if (takeEnded(page)) set({ isLoading: false, next: page.next, total: page.total })
        else set({ isLoading: false })
      } catch (error) {
        if (!signal?.aborted) set({ isLoading: false, problem: error instanceof Error ? error.message : String(error) })
      }
    },
    [key, project, agent, text],
  )

  useEffect(() => {
    if (isAll || isWhole) return
    const stop = new AbortController()
    const timer = setTimeout(() => void load(undefined, stop.signal), TYPING_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [isAll, isWhole, load])

  const total = isAll ? board.ended.total : pages.total
  if (isWhole || next === null) return { count: (here) => here, more: null, isPending: false }
  return {
    count: (here) => Math.max(here, total),
    more: { load: () => void load(next), isLoading, problem: pages.problem },
    isPending: next === undefined && pages.problem === null,
  }
}

/** Without a filter the board says where it ends. */
function beginning(key: string, board: BoardState | null, isAll: boolean): Pages {
  return { key, next: isAll ? board?.ended.next : undefined, total: 0, isLoading: false, problem: null }
}
